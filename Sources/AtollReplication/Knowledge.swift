import AtollChanges
import AtollVocabulary

/// The known holdings of every other replica, from itself or through others.
///
/// Only ever grows: what a replica has said in one incarnation stays true of that incarnation. Each
/// head has the number of the change that brought it, so that a link only keeps the change up to which
/// it was sent everything.
struct Knowledge: Hashable, Sendable {
  /// One author's changesets, as far as one replica has them.
  struct Head: Hashable, Sendable {
    var id: ChangesetID
    var applied: SequenceNumber
    /// The change that brought it: `1 <= change <= Knowledge.changes`.
    var change: UInt64
    /// The links by which it came, and which need not have it.
    var sources: [LinkID]
  }

  struct Replica: Hashable, Sendable {
    let author: Author
    /// Ascending by author.
    var heads: [Head] = []
    var isUnsaved = false

    /// The place of an author's head, or where it belongs.
    func place(of author: Author) -> Int {
      var (low, high) = (0, heads.count)
      while low < high {
        let middle = (low + high) / 2
        if heads[middle].id.author < author { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func knows(_ author: Author) -> Bool {
      let place = place(of: author)
      return place < heads.count && heads[place].id.author == author
    }

    var progress: PeerProgress {
      var applied = VersionVector()
      for head in heads { applied[head.id.author] = head.applied }
      return PeerProgress(
        peer: author, holdings: Holdings(heads: heads.map(\.id), applied: applied))
    }
  }

  /// Ascending by author, which has no branch: it is an incarnation that has something.
  private(set) var replicas: [Replica] = []
  /// The number of times that something was learnt.
  private(set) var changes: UInt64 = 0
  private var headCount = 0

  /// Links by which one head came; more of them get it needlessly.
  private static let sources = 4

  /// Takes in what a replica has; whether any of it is new.
  ///
  /// Of authors of whom nothing is here it keeps few heads a replica: those could be invented, and would
  /// take the place of what others have.
  mutating func learn(
    _ replica: Author, _ holdings: Holdings, here: Holdings, from link: LinkID?
  ) -> Bool {
    let commonHistory = replica.commonHistory
    let index = replicas.firstIndex { $0.author >= commonHistory } ?? replicas.endIndex
    if index == replicas.endIndex || replicas[index].author != commonHistory {
      guard !holdings.heads.isEmpty, headCount < Limits.knownHeads else { return false }
      replicas.insert(Replica(author: commonHistory), at: index)
    }
    let before = changes
    // Counted only if it may matter: a replica may have thousands, and says one at a time.
    var strange =
      replicas[index].heads.count + holdings.heads.count <= Limits.strangeHeads ? 0 : nil
    for head in holdings.heads {
      let isStrange =
        here.sequence(of: head.author) == .none && !replicas[index].knows(head.author)
      if isStrange {
        let known =
          strange ?? replicas[index].heads.count { here.sequence(of: $0.id.author) == .none }
        strange = known
        if known >= Limits.strangeHeads { continue }
      }
      let count = headCount
      learn(index, head, min(holdings.applied[head.author], head.sequence), from: link)
      if headCount > count { strange = strange.map { $0 + (isStrange ? 1 : 0) } }
    }
    if changes > before { replicas[index].isUnsaved = true }
    return changes > before
  }

  private mutating func learn(
    _ index: Int, _ id: ChangesetID, _ applied: SequenceNumber, from link: LinkID?
  ) {
    let place = replicas[index].place(of: id.author)
    guard place < replicas[index].heads.count, replicas[index].heads[place].id.author == id.author
    else {
      guard headCount < Limits.knownHeads else { return }
      headCount += 1
      changes += 1
      let head = Head(id: id, applied: applied, change: changes, sources: [link].compactMap(\.self))
      return replicas[index].heads.insert(head, at: place)
    }
    let known = replicas[index].heads[place]
    if known.id.sequence < id.sequence || known.id == id && known.applied < applied {
      changes += 1
      replicas[index].heads[place] = Head(
        id: id, applied: max(applied, known.applied), change: changes,
        sources: [link].compactMap(\.self))
    } else if let link, known.id == id, known.applied == applied,
      known.sources.count < Self.sources, !known.sources.contains(link)
    {
      replicas[index].heads[place].sources.append(link)
    }
  }

  /// The news since a change, without what the link brought itself.
  ///
  /// - Parameters:
  ///   - change: The change up to which the link was sent everything.
  ///   - link: The link to send on.
  ///   - excluded: Replicas that are left out: both ends of the link.
  ///   - limit: Heads at most.
  /// - Returns: The heads by replica, and up to which change that is all.
  func news(
    after change: UInt64, to link: LinkID, except excluded: [Author], limit: Int
  ) -> (replicas: [PeerProgress], through: UInt64) {
    let new = replicas.filter { !excluded.contains($0.author) }.flatMap { replica in
      replica.heads.filter { $0.change > change && !$0.sources.contains(link) }
    }.map(\.change).sorted()
    let through = new.count > limit ? new[limit - 1] : changes
    let announced = replicas.compactMap { replica -> PeerProgress? in
      guard !excluded.contains(replica.author) else { return nil }
      var part = replica
      part.heads = replica.heads.filter {
        $0.change > change && $0.change <= through && !$0.sources.contains(link)
      }
      return part.heads.isEmpty ? nil : part.progress
    }
    return (announced, through)
  }

  /// Returns the entries that are not in the file yet, and marks them as saved.
  mutating func takeUnsaved() -> [PeerProgress] {
    let unsaved = replicas.indices.filter { replicas[$0].isUnsaved }
    for index in unsaved { replicas[index].isUnsaved = false }
    return unsaved.map { replicas[$0].progress }
  }

  /// All of it is in the file already.
  mutating func markSaved() { _ = takeUnsaved() }
}
