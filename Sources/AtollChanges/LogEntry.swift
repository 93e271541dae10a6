import AtollVocabulary

/// The place of a changeset in one file's log; ascending in the order in which changesets came
/// there.
///
/// Positions are local: two replicas that hold the same changesets number them differently.
package struct LogPosition: Hashable, Sendable, Comparable {
  package var rawValue: Int64

  package init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Before the first entry, whatever its number: those of what came below a snapshot are negative.
  package static let start = LogPosition(0)

  package static func < (a: LogPosition, b: LogPosition) -> Bool { a.rawValue < b.rawValue }
}

extension LogPosition: CustomStringConvertible {
  package var description: String { String(rawValue) }
}

/// One changeset as the log keeps it, and as it travels: exact bytes, never encoded again.
package struct LogEntry: Hashable, Sendable {
  package var position: LogPosition
  package var id: ChangesetID
  /// Canonical bytes, as their author made them.
  package var bytes: [UInt8]
  /// Its author's signature; nil if one further on vouches for it.
  package var seal: Seal?

  package init(position: LogPosition, id: ChangesetID, bytes: [UInt8], seal: Seal? = nil) {
    self.position = position
    self.id = id
    self.bytes = bytes
    self.seal = seal
  }
}

extension LogEntry {
  /// As another file is given it, in a run that ends with a seal.
  package var asIncoming: IncomingChangeset {
    IncomingChangeset(
      author: id.author, sequence: id.sequence, bytes: bytes,
      expectedHash: seal == nil ? nil : id.hash, seal: seal)
  }
}

extension LogEntry {
  /// Tells whether a run may go on from this changeset to another.
  package func mayGoOn(with next: LogEntry) -> Bool {
    id.author == next.id.author && id.sequence.next == next.id.sequence
      && max(bytes.count, next.bytes.count) <= Limits.batchBytes
      && !ChangesetReader.namesDependencies(next.bytes)
  }
}

extension [LogEntry] {
  /// Leaves out seals for which one further on vouches as well: changesets that came one by one have one each.
  package mutating func joinRuns() {
    // The run so far, and where the changesets begin that the next seal adds.
    var (start, next) = (startIndex, startIndex)
    for index in indices where self[index].seal != nil {
      let goesOn =
        next > start && index + 1 - start <= Limits.runChangesets
        && self[next - 1].mayGoOn(with: self[next])
      if goesOn { self[next - 1].seal = nil } else { start = next }
      next = index + 1
    }
  }
}

/// The result of one read of the log for one peer.
package struct LogBatch: Hashable, Sendable {
  /// Ascending by position; only changesets that the peer lacked when the read was asked for.
  package var entries: [LogEntry]
  /// Everything up to here was looked at; the next read goes on after it.
  package var next: LogPosition
  /// True if the log ended at `next`.
  package var isAtEnd: Bool

  package init(entries: [LogEntry], next: LogPosition, isAtEnd: Bool) {
    self.entries = entries
    self.next = next
    self.isAtEnd = isAtEnd
  }
}
