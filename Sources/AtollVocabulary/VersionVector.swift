/// The changesets that a replica has: for each author, all up to and including a sequence number.
///
/// Kept sorted by author, so that iteration, bytes and text are the same in every process.
package struct VersionVector: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var author: Author
    package var sequence: SequenceNumber

    package init(author: Author, sequence: SequenceNumber) {
      self.author = author
      self.sequence = sequence
    }
  }

  /// Ascending by author; no entry has sequence 0.
  package private(set) var entries: [Entry] = []

  package init() {}

  package init(_ entries: some Sequence<Entry>) {
    for entry in entries { self[entry.author] = max(self[entry.author], entry.sequence) }
  }

  /// The last sequence number of `author`, ``SequenceNumber/none`` if there is nothing.
  package subscript(author: Author) -> SequenceNumber {
    get {
      let place = place(of: author)
      return place.isFound ? entries[place.index].sequence : .none
    }
    set {
      let place = place(of: author)
      switch (place.isFound, newValue == .none) {
      case (true, true): entries.remove(at: place.index)
      case (true, false): entries[place.index].sequence = newValue
      case (false, true): break
      case (false, false):
        entries.insert(Entry(author: author, sequence: newValue), at: place.index)
      }
    }
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// Tells whether everything in `other` is also here.
  package func includes(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { self[$0.author] >= $0.sequence }
  }

  /// Takes the greater sequence number of each author; whether any is greater than it was.
  @discardableResult
  package mutating func formUnion(_ other: VersionVector) -> Bool {
    var isNew = false
    for entry in other.entries where self[entry.author] < entry.sequence {
      self[entry.author] = entry.sequence
      isNew = true
    }
    return isNew
  }

  /// The number of changesets here that `other` lacks; at most what 64 bits hold.
  package func count(beyond other: VersionVector) -> UInt64 {
    entries.reduce(0) { sum, entry in
      let theirs = other[entry.author].rawValue
      guard entry.sequence.rawValue > theirs else { return sum }
      return sum.addingSaturated(entry.sequence.rawValue - theirs)
    }
  }

  private func place(of author: Author) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].author < author { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].author == author)
  }
}

extension UInt64 {
  /// The sum, or the greatest number if that is more.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension VersionVector: CustomStringConvertible {
  /// Short author names with their sequence numbers, ascending: `{1f00a2b3.9c01: 12, …}`.
  package var description: String {
    "{" + entries.map { "\($0.author.shortDescription): \($0.sequence)" }.joined(separator: ", ")
      + "}"
  }
}
