package import AtollChanges
import AtollLog
import AtollVocabulary
import Dispatch
import Synchronization

// Changesets of peers are taken only where their author's key vouches for them; see `Seal.swift`.
extension StoreFile {
  /// The key of this file's replica; nil in a copy that nobody has opened for writing.
  package var replicaKey: ReplicaKey? { state.key }

  /// The runs of a batch that are not what their author signed: the reason, by the index of the run's last
  /// changeset.
  ///
  /// Looked at before the write lock is taken, since a signature takes longer than a small changeset. What has no seal
  /// comes from no peer.
  func offences(of batch: [IncomingChangeset], _ runEnds: [Int]) -> [Int: String] {
    var claims: [(seal: Seal, id: ChangesetID)] = []
    var runs: [ClosedRange<Int>] = []
    var start = 0
    while start < batch.count {
      let end = runEnds[start]
      let last = batch[end]
      if let seal = last.seal, let hash = last.expectedHash {
        claims.append((seal, ChangesetID(author: last.author, sequence: last.sequence, hash: hash)))
        runs.append(start...end)
      }
      start = end + 1
    }
    let faults = faults(among: claims)
    var offences: [Int: String] = [:]
    for (index, run) in runs.enumerated() {
      offences[run.upperBound] =
        faults.contains(index) ? falseSeal(of: claims[index].id) : offence(of: batch[run])
    }
    return offences
  }

  /// Finds those of some seals that do not vouch for their changesets, on all cores: each takes 0.1 ms.
  ///
  /// - Returns: Their places.
  func faults(among claims: [(seal: Seal, id: ChangesetID)]) -> Set<Int> {
    let storeID = storeID
    let faults = Mutex<Set<Int>>([])
    DispatchQueue.concurrentPerform(iterations: claims.count) { place in
      let (seal, id) = claims[place]
      guard !seal.vouches(for: id, in: storeID) else { return }
      faults.withLock { _ = $0.insert(place) }
    }
    return faults.withLock { $0 }
  }

  private func falseSeal(of id: ChangesetID) -> String {
    "its seal is not \(id.author.replica.shortDescription)'s for number \(id.sequence) with hash "
      + "\(id.hash.shortDescription) in store \(storeID)"
  }

  /// The reason why no seal can vouch for a run; nil if one can.
  private func offence(of run: ArraySlice<IncomingChangeset>) -> String? {
    guard run.count > 1 else { return nil }
    guard run.count <= Limits.runChangesets else {
      return "\(run.count) changesets are one run, which has at most \(Limits.runChangesets)"
    }
    // Otherwise a relay could not keep together the changesets that the seal covers.
    for changeset in run {
      if changeset.bytes.count > Limits.batchBytes {
        return
          "changeset \(changeset.sequence) has \(changeset.bytes.count) bytes, and one of more "
          + "than \(Limits.batchBytes) needs a seal of its own"
      }
      if changeset != run.first, ChangesetReader.namesDependencies(changeset.bytes) {
        return "changeset \(changeset.sequence) names dependencies, and stands inside a run"
      }
    }
    return nil
  }

  /// Keeps the seal of a changeset that is in the log now, or was.
  func keepSeal(
    of incoming: IncomingChangeset, _ outcome: ApplyOutcome, _ way: IncomingRun?,
    _ transaction: WriteTransaction
  ) throws {
    guard let seal = incoming.seal, let hash = incoming.expectedHash else { return }
    let number: Int64?
    switch outcome {
    case .applied(let id), .deferred(let id, _), .branched(let id, _):
      number = authors[id.author]?.number
    case .duplicate: number = way?.record ?? authors[incoming.author]?.number
    case .missing, .overflowing, .detached, .equivocation, .refused: return
    }
    let id = ChangesetID(author: incoming.author, sequence: incoming.sequence, hash: hash)
    guard let number, try log.store(seal, of: number, id) else { return }
    transaction.hasNewSeal = true
  }

  // MARK: Snapshots

  /// The seal of a changeset that is here, in the log or in the checkpoint; nil if none has come for that very one.
  func seal(of id: ChangesetID) throws -> Seal? {
    guard let record = authors[id.author] else { return nil }
    if let seal = try log.seal(of: id, record) { return seal }
    guard let writer = try checkpointWriter(of: record), writer.sequence == id.sequence,
      writer.hash == id.hash
    else { return nil }
    return writer.seal
  }

  /// True if there is a seal for the end of each history: always, but where only some of a run is applied.
  var isSealed: Bool {
    get throws {
      let applied = authors.records.filter(\.hasApplied)
      let continued = Set(applied.map(\.parent))
      return try applied.allSatisfy { record in
        try continued.contains(record.number) || seal(of: record.head) != nil
      }
    }
  }

  /// Refuses a snapshot that names another end of a history than its replica has signed.
  func checkSeals(of head: SnapshotHead) throws {
    if let writer = head.unsealed.first {
      throw SnapshotRefusal(
        reason: "nothing vouches for the last changeset that it names of \(writer.author)")
    }
    let claims = head.authors.compactMap { writer in
      writer.seal.map { (seal: $0, id: writer.head) }
    }
    if let place = faults(among: claims).min() {
      throw SnapshotRefusal(reason: falseSeal(of: claims[place].id))
    }
  }
}
