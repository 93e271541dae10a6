package import AtollChanges
package import AtollVocabulary

/// A run of changesets of one author on its way into the log: the record of the one before the next, and their
/// hashes.
package struct IncomingRun {
  /// As the sender names it, which may be by a branch that is none here, or without one that is.
  package let author: Author
  package private(set) var sequence: SequenceNumber
  /// Nil for an author of whom nothing is here.
  package var record: Int64?
  private var hashes: ArraySlice<ChainHash>

  init(_ run: ArraySlice<IncomingChangeset>, after record: Int64?, hashes: [ChainHash]) {
    author = run.first?.author ?? Author(replica: ReplicaID(high: 0, low: 0), incarnation: .init(0))
    sequence = run.first?.sequence ?? .none
    self.record = record
    self.hashes = hashes[...]
  }

  package func leads(to incoming: IncomingChangeset) -> Bool {
    author == incoming.author && sequence == incoming.sequence && !hashes.isEmpty
  }

  /// The hash of the next changeset.
  package mutating func next() -> ChainHash? {
    sequence = sequence.next
    return hashes.popFirst()
  }
}

extension ChangesetLog {
  /// The anchor of a run: what it goes on from, or the reason why it goes on from nothing here.
  package enum FoundAnchor {
    case found(IncomingRun)
    case none(ApplyOutcome)
  }

  /// Finds the anchor of a run: the stored changeset that leads to the run's last hash.
  ///
  /// Nothing of a run is applied before that, so that two branches are never mixed.
  package func findAnchor(of run: ArraySlice<IncomingChangeset>) throws -> FoundAnchor {
    guard let first = run.first else { return .none(.duplicate) }
    let anchors = try anchors(before: first)
    guard let last = anchors.last else {
      return .none(
        .missing(
          VersionVector([.init(author: first.author, sequence: first.sequence.previous)])))
    }
    let expected = run.last?.expectedHash
    for anchor in anchors {
      var hashes: [ChainHash] = []
      hashes.reserveCapacity(run.count)
      var hash = anchor.hash
      for changeset in run {
        hash = hash.following(changeset.bytes)
        hashes.append(hash)
      }
      if expected == nil || expected == hash {
        return .found(IncomingRun(run, after: anchor.record, hashes: hashes))
      }
    }
    guard first.sequence == .first else {
      return .none(
        .detached(
          after: ChangesetID(
            author: first.author, sequence: first.sequence.previous, hash: last.hash)))
    }
    return .none(.refused(reason: try broken(run, last.hash)))
  }

  private func broken(_ run: ArraySlice<IncomingChangeset>, _ hash: ChainHash) throws -> String {
    let found = run.reduce(hash) { $0.following($1.bytes) }
    guard let last = run.last, let expected = last.expectedHash else { return "" }
    return "the chain is broken at changeset \(last.sequence) of \(last.author): its bytes give "
      + "\(found.shortDescription), the sender said \(expected.shortDescription)"
  }

  /// For each changeset of a batch the end of its run: as far as one hash answers for, or itself if
  /// none does.
  package static func runEnds(_ batch: [IncomingChangeset]) -> [Int] {
    var ends = Array(batch.indices)
    for index in batch.indices.dropLast().reversed() {
      let (this, next) = (batch[index], batch[index + 1])
      guard this.expectedHash == nil, batch[ends[index + 1]].expectedHash != nil,
        this.author == next.author, this.sequence.next == next.sequence
      else { continue }
      ends[index] = ends[index + 1]
    }
    return ends
  }

  /// The anchors that a changeset may have; first the one that its sender's name for the author says.
  private func anchors(
    before changeset: IncomingChangeset
  ) throws -> [(record: Int64?, hash: ChainHash)] {
    let author = changeset.author
    guard changeset.sequence > .first else {
      guard changeset.sequence == .first else { return [] }
      return [(authors[author.commonHistory]?.number, .origin(of: author))]
    }
    let last = changeset.sequence.previous
    let records = authors.branches(of: author).filter {
      $0.first <= last && last <= $0.storedHead.sequence
    }
    let named = records.filter { $0.author == author } + records.filter { $0.author != author }
    return try named.compactMap { record in
      let hash =
        record.storedHead.sequence == last
        ? record.storedHead.hash : try knownHash(record, last)
      return hash.map { (record.number, $0) }
    }
  }
}
