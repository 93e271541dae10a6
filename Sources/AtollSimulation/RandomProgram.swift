package import AtollStorage
import AtollVocabulary

/// An application that changes whatever there is, as those of the simulation do: every kind of operation on every kind
/// of cell.
package struct RandomProgram {
  private let workload: Workload
  private var random: SeededGenerator

  /// Declares the program's classes in a file.
  ///
  /// - Parameters:
  ///   - file: The file that it writes to.
  ///   - seed: What decides all that it does.
  /// - Throws: If the file cannot be written, or its model has the classes otherwise.
  package init(in file: StoreFile, seed: UInt64) throws(StorageError) {
    let version = Workload.versions.upperBound
    guard
      let workload = Workload(try file.adopt(Workload.classes(version)), version: version)
    else {
      throw .unexpected(detail: "a class is missing", doing: "declaring the program's classes")
    }
    self.workload = workload
    random = SeededGenerator(seed: seed)
  }

  /// Makes one transaction.
  ///
  /// - Throws: If the file cannot be written; nothing of the transaction stays.
  package mutating func transact(_ file: StoreFile) throws(StorageError) {
    try file.beginWrite()
    do throws(StorageError) {
      try workload.transact(file, using: &random)
      _ = try file.commitWrite()
    } catch {
      file.rollback()
      throw error
    }
  }
}
