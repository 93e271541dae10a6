package import AtollVocabulary

/// The holdings of a replica: its last stored changeset of every author, and the applied ones.
package struct Holdings: Hashable, Sendable {
  /// Durable changesets: the last of each author with its chain hash, ascending by author.
  package private(set) var heads: [ChangesetID]
  /// `applied <= stored`, author by author.
  package var applied: VersionVector

  package static let none = Holdings(heads: [])

  /// Takes the heads in any order; an author that is named twice keeps the greater number.
  package init(heads: [ChangesetID], applied: VersionVector) {
    self.heads = []
    self.applied = applied
    for head in heads { adopt(head) }
  }

  /// Everything stored is applied.
  package init(heads: [ChangesetID]) {
    self.init(heads: heads, applied: VersionVector())
    applied = stored
  }

  /// The heads without their hashes.
  package var stored: VersionVector {
    VersionVector(
      heads.lazy.map { VersionVector.Entry(author: $0.author, sequence: $0.sequence) })
  }

  /// The last changeset of `author`; nil if none is stored.
  package func head(of author: Author) -> ChangesetID? {
    let index = place(of: author)
    guard index < heads.count, heads[index].author == author else { return nil }
    return heads[index]
  }

  /// The number of stored changesets of `author`.
  package func sequence(of author: Author) -> SequenceNumber {
    head(of: author)?.sequence ?? .none
  }

  /// The histories of authors that have several.
  package var branches: Set<Author> {
    Set(heads.lazy.map(\.author).filter { $0.branch != .none })
  }

  /// The part with these heads, ascending by author, and as much of each applied as is here.
  package func part(of heads: [ChangesetID]) -> Holdings {
    var applied = VersionVector()
    for head in heads { applied[head.author] = self.applied[head.author] }
    return Holdings(heads: heads, applied: applied)
  }

  /// The heads that are later here than in `other`.
  package func heads(beyond other: Holdings) -> [ChangesetID] {
    heads.filter { $0.sequence > other.sequence(of: $0.author) }
  }

  /// Replaces the head of its author by `head` if that is later; whether it is.
  @discardableResult
  package mutating func adopt(_ head: ChangesetID) -> Bool {
    let index = place(of: head.author)
    guard index < heads.count, heads[index].author == head.author else {
      heads.insert(head, at: index)
      return true
    }
    guard heads[index].sequence < head.sequence else { return false }
    heads[index] = head
    return true
  }

  /// As if nothing of `author` were stored.
  package mutating func forget(_ author: Author) {
    heads.removeAll { $0.author == author }
    applied[author] = .none
  }

  /// Takes the later of every head, and the greater of everything applied; whether any is new.
  ///
  /// Costs as much as the other has, however much is here.
  @discardableResult
  package mutating func formUnion(_ other: Holdings) -> Bool {
    var isNew = false
    for head in other.heads where adopt(head) { isNew = true }
    return applied.formUnion(other.applied) || isNew
  }

  private func place(of author: Author) -> Int {
    var low = 0
    var high = heads.count
    while low < high {
      let middle = (low + high) / 2
      if heads[middle].author < author { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The known holdings of a replica, in one of its incarnations, by its own word.
package struct PeerProgress: Hashable, Sendable {
  package var peer: Author
  /// Under the names by which the replica calls its authors.
  package var holdings: Holdings

  package init(peer: Author, holdings: Holdings) {
    self.peer = peer
    self.holdings = holdings
  }
}
