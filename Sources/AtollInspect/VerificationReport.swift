package import AtollStorage
import AtollVocabulary

/// The outcome of checking a store's file, its log and its objects.
package struct VerificationReport: Codable, Hashable, Sendable {
  /// A sentence for everything that is wrong.
  package let findings: [String]
  /// Live objects, and changesets applied; nil if something is wrong.
  package let objects: Int?
  package let changesets: UInt64?
}

extension Inspection {
  /// Checks the file, its log, and that its objects follow from it.
  ///
  /// - Parameter path: The store file.
  /// - Returns: What is wrong, also if the file is so damaged that it cannot be opened.
  /// - Throws: `StorageError` if nothing could be checked.
  package static func verification(
    ofStoreAt path: String
  ) throws(StorageError) -> VerificationReport {
    do throws(StorageError) {
      let inspection = try Inspection(path: path)
      defer { inspection.close() }
      return try inspection.verify()
    } catch {
      guard error.isOfTheContents else { throw error }
      return VerificationReport(findings: ["\(error)"], objects: nil, changesets: nil)
    }
  }

  private func verify() throws(StorageError) -> VerificationReport {
    let findings = try file.verify()
    guard findings.isEmpty else {
      return VerificationReport(findings: findings, objects: nil, changesets: nil)
    }
    return VerificationReport(
      findings: [],
      objects: try file.counts().filter { !$0.class.isEmbedded }.reduce(0) { $0 + $1.objects },
      changesets: try file.appliedVector().entries.reduce(0) { $0 + $1.sequence.rawValue })
  }
}

extension StorageError {
  /// Tells whether the bytes of the file are wrong; not if the system, other programs or the version stood in
  /// the way of looking at them.
  fileprivate var isOfTheContents: Bool {
    switch self {
    case .noSuchFile, .wrongPath, .notWritable, .openedForReading, .notOwner, .noOwners,
      .ownerStays, .removed,
      .notYet,
      .diskFull,
      .locked, .otherFormat, .noModule, .inUse, .versionEnded, .tooManyVersions, .systemCall,
      .outOfMemory, .unexpected:
      false
    case .notADatabase, .notAStore, .foreignObject, .otherStore, .alreadyExchanged, .foreignLog,
      .replaced, .nothingDeferred, .doubtfulClock, .clockOutOfRange, .damaged, .schemaClash,
      .duplicateKey, .noSuchClass, .noSuchObject, .noSuchProperty, .noFullTextIndex,
      .noSuchElement, .typeMismatch, .incrementOfNil, .noSuchInstance, .tooLarge, .tooComplex,
      .noSuchConflict, .noSuchTarget, .notInTransaction, .alreadyInTransaction, .alreadyThere,
      .unsound, .diskFailed, .sqlite:
      true
    }
  }
}
