package import AtollVocabulary

/// A snapshot that a replica offers to one that cannot be given the log, or not as fast.
package struct SnapshotOffer: Hashable, Sendable {
  /// The hash of all its pages.
  package var id: ChainHash
  package var pages: Int
  /// Live objects, for people who wait.
  package var objects: UInt64
  /// Its changesets, all of them applied.
  package var frontier: Holdings

  package init(id: ChainHash, pages: Int, objects: UInt64, frontier: Holdings) {
    self.id = id
    self.pages = pages
    self.objects = objects
    self.frontier = frontier
  }
}

/// The outcome of installing a snapshot.
package enum SnapshotOutcome: Hashable, Sendable {
  case installed
  /// It has stamps that are so much too far ahead of the local clock; its pages are kept.
  case early(ahead: Duration)
  /// It has another history of an author than the file, and lacks some of what is cut off the file's log. Its
  /// pages are dropped, and the file knows of both histories now.
  case forked
  /// It is not one that the file can go on from; its pages are dropped.
  case refused(reason: String)
}

/// "Send me these pages": at most ``Limits/snapshotWindow``.
package struct SnapshotRequest: Hashable, Sendable {
  package var id: ChainHash
  package var first: Int
  package var count: Int

  package init(id: ChainHash, first: Int, count: Int) {
    self.id = id
    self.first = first
    self.count = count
  }
}

/// One page of a snapshot, with the hash of all pages up to its end.
package struct SnapshotPage: Hashable, Sendable {
  package var id: ChainHash
  package var index: Int
  package var hash: ChainHash
  package var bytes: [UInt8]

  package init(id: ChainHash, index: Int, hash: ChainHash, bytes: [UInt8]) {
    self.id = id
    self.index = index
    self.hash = hash
    self.bytes = bytes
  }
}
