package import AtollChanges
package import AtollVocabulary

/// The interface that an engine's actions need of a store: its log, its objects, and its record of others.
///
/// `StoreFile` is one; the engine's stories have one in memory. Whoever conforms is called by one
/// thread at a time, and what a call has written is durable when it returns.
package protocol ReplicaStore: ReplicaLog, ReplicaObjects, ReplicaRegistry {}

/// An error of a store.
package protocol StoreFailure: Error {
  /// Tells whether there was no space to write: the same may succeed later.
  var isDiskFull: Bool { get }
}

/// The changesets of all authors, in the order in which they came, and where they start.
package protocol ReplicaLog {
  associatedtype Failure: StoreFailure

  /// The changesets applied, and those only stored.
  func holdings() throws(Failure) -> Holdings

  /// The start of the log.
  func logStart() throws(Failure) -> LogStart

  /// The log after `position`, without what `vector` includes.
  ///
  /// - Parameters:
  ///   - vector: What is left out.
  ///   - position: After which to begin.
  ///   - limitBytes: Of the entries together; one comes whole, whatever its size.
  ///   - isChecked: Whether bytes that do not give their hash are an error.
  ///   - isForPeer: Whether what nobody could take is left out, for a gap before it or for want of a seal.
  /// - Returns: The entries, and where to go on.
  /// - Throws: If the log cannot be read.
  func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int,
    isChecked: Bool, isForPeer: Bool
  ) throws(Failure) -> LogBatch

  /// The newest changesets of some authors that depend on nothing but what a peer has.
  func expeditableEntries(
    after: [VersionVector.Entry], stored: VersionVector, limitBytes: Int
  ) throws(Failure) -> [LogEntry]

  /// A part of the log below a snapshot; `cutting` is the changeset that is given in parts.
  func backfill(
    _ request: BackfillRequest, cutting: inout LogEntry?
  ) throws(Failure) -> Backfill

  /// Keeps a part of the log below the snapshot that the store began with; the reason, if it does not.
  func keep(_ backfill: Backfill) throws(Failure) -> String?
}

/// The objects that the changesets made: rows, their digest, and snapshots of them.
package protocol ReplicaObjects {
  associatedtype Failure: StoreFailure

  /// The reason why nothing is taken of a replica whose object names this key, if any does; nil if it is.
  typealias Objection = (ReplicaID, _ identity: [UInt8]?) -> LeavingOut?

  /// Stores changesets in the order given, and applies those that may be; one outcome for each.
  func apply(
    _ batch: [IncomingChangeset], from peer: Author?, unless objection: Objection?
  ) throws(Failure) -> [ApplyOutcome]

  /// Tells if changesets of a replica are taken: the store has no owners, or one has admitted it.
  func admits(_ replica: ReplicaID) throws(Failure) -> Bool

  /// Applies deferred changesets that may be by now; how long until there is more, nil if nothing waits for
  /// the clock.
  func applyDeferred() throws(Failure) -> Duration?

  /// The changesets that a snapshot must have, where a deferred one contradicts the one the store began with.
  func wantedOfSnapshot() throws(Failure) -> VersionVector?

  /// The digest of all objects, and the heads that it is of.
  func frontierDigest() throws(Failure) -> FrontierDigest

  /// Returns the objects' digests at the places of a question; reads all of them.
  func answer(_ question: DigestQuestion) throws(Failure) -> DigestAnswer

  /// Makes a snapshot of what is applied, in place of the one before.
  func makeSnapshot() throws(Failure)

  /// The snapshot that others may have.
  func snapshotOffer() throws(Failure) -> SnapshotOffer?

  /// Pages of a snapshot; none if it is not there any more.
  func snapshotPages(
    of id: ChainHash, from first: Int, count: Int
  ) throws(Failure) -> [SnapshotPage]

  /// Begins to keep the pages of a snapshot, or goes on; how many are here.
  func beginStaging(_ id: ChainHash) throws(Failure) -> Int

  /// Keeps the next pages of a snapshot; how many are here.
  func stage(_ pages: [SnapshotPage], of id: ChainHash) throws(Failure) -> Int

  /// Puts a snapshot that has come whole in place of what the store has, and goes on from there.
  func installSnapshot(_ id: ChainHash) throws(Failure) -> SnapshotOutcome
}

/// The record of other replicas.
package protocol ReplicaRegistry {
  associatedtype Failure: StoreFailure

  /// Remembers what others are known to have.
  func setPeerProgress(_ peers: [PeerProgress]) throws(Failure)
}
