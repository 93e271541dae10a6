package import AtollPresence
package import AtollStorage
import AtollVocabulary

/// A store file opened for looking, with a value for each thing that people are shown.
///
/// Confined to one thread at a time, like the file.
package final class Inspection {
  let file: StoreFile
  /// The order of the listing that was read far from its beginning last.
  var order = ListingOrder()
  /// Calls of ``atOneMoment(_:)`` within each other.
  private var depth = 0

  /// Opens the store at a path for reading.
  ///
  /// - Throws: `StorageError` if there is none, or it cannot be read.
  package init(path: String) throws(StorageError) {
    file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
  }

  /// Looks into a file that somebody else has opened, and closes.
  package init(_ file: StoreFile) { self.file = file }

  /// Ends the looking.
  package func close() { file.close() }

  /// Runs `body` on one snapshot, so that all it asks for fits together.
  package func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
    if depth == 0 { try file.beginRead() }
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { try? file.endRead() }
    }
    return try body()
  }

  /// The path that the file was opened at.
  package var path: String { file.path }

  /// The state of the node that serves the store.
  package var service: ServiceState {
    ServiceState(ofStoreAt: file.path, at: SystemClock.wallTime().milliseconds)
  }
}
