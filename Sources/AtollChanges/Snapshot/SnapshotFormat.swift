package import AtollVocabulary

/// The numbers of `protocol/snapshot.md`.
enum SnapshotFormat {
  static let version: UInt8 = 4

  enum RecordTag: UInt8 {
    case head = 1
    case object = 2
    case element = 3
    case tombstone = 4
    case placeholder = 5
    case end = 6
  }

  enum PlaceTag: UInt8 {
    case member = 0
    case listed = 1
    case moved = 2
    case entry = 3
  }

  /// Before a cell.
  enum CellFlag {
    static let recorded: UInt8 = 1
    static let assigned: UInt8 = 2
    static let apart: UInt8 = 4
    static let stamp: UInt8 = 8
    static let apartAssigned: UInt8 = 16
    static let steps: UInt8 = 32
    /// With ``apart``: steps were made.
    static let hasSteps: UInt8 = 64
  }
}

extension ChainHash {
  /// The origin of the hash of a snapshot's first page.
  package static let snapshotOrigin: ChainHash = {
    var digest = ContentDigest()
    digest.update(Array("atoll snapshot".utf8))
    return digest.finish()
  }()
}
