import AtollChanges
import AtollLog
import AtollVocabulary

/// The number of authors of whom nothing was here each peer has brought lately.
///
/// An author costs memory and time for good, in every replica, and is invented in 24 bytes.
struct StrangerCount {
  private var counts: [ReplicaID: Int] = [:]
  private var since = Instant(nanoseconds: 0)

  /// The number of authors a peer has brought, if a changeset may not bring what it does; nil if it may.
  ///
  /// A file has no more authors than a hello can tell of, and the peer that invents them uses up its own
  /// share of an hour.
  mutating func countBeyondBound(
    _ changeset: ChangesetReader, _ record: AuthorRecord?, from sender: Author?,
    known authors: AuthorTable, at now: @autoclosure () -> Instant
  ) -> Int? {
    var count = changeset.declarations.count { declaration in
      if case .author(let author) = declaration { authors[author] == nil } else { false }
    }
    if record == nil { count += 1 }
    guard count > 0 else { return nil }
    guard authors.records.count + count <= Limits.vectorEntries else {
      return authors.records.count
    }
    guard let sender else { return nil }
    return add(count, broughtBy: sender.replica, at: now())
  }

  /// Counts some more, unless a peer then has brought more than the bound; how many it has if so.
  private mutating func add(_ count: Int, broughtBy peer: ReplicaID, at now: Instant) -> Int? {
    if now.duration(since: since) >= Limits.authorsInterval { (counts, since) = ([:], now) }
    let known = counts[peer, default: 0]
    guard known + count <= Limits.authorsBrought else { return known }
    counts[peer] = known + count
    return nil
  }
}
