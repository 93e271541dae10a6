import AtollVocabulary

/// A changeset that settles what every member had applied, and what that means for everybody's
/// changesets (`protocol/changeset.md`, *Settling and forgetting*).
final class Settlement {
  /// Who wrote it, by number, and which of its changesets it is.
  let writer: Int64
  let sequence: SequenceNumber
  /// By author's number.
  var entries: [Int64: Entry] = [:]

  init(writer: Int64, sequence: SequenceNumber) {
    self.writer = writer
    self.sequence = sequence
  }

  /// What it means for one author's changesets.
  struct Entry: Hashable {
    /// Up to where they are settled.
    var settled = SequenceNumber.none
    /// Up to where its writer had them.
    var past = SequenceNumber.none
    /// Whether the author had said, after its last one there, that it has applied all that is settled.
    var isHeard = false
    /// Those that come late by it, as far as they are here.
    var late: ClosedRange<SequenceNumber>?
  }

  subscript(number: Int64) -> Entry {
    get { entries[number] ?? Entry() }
    set { entries[number] = newValue }
  }

  /// Whether somebody knew it who wrote its changeset `sequence` and had seen `seen`.
  func isKnown(
    to author: Int64, _ sequence: SequenceNumber, _ seen: [Int64: SequenceNumber]
  ) -> Bool {
    author == writer
      ? sequence >= self.sequence : (seen[writer] ?? .none) >= self.sequence
  }

  /// Whether a changeset comes late whose author did not know it.
  ///
  /// It does if what is settled is not all in its past, or something is that comes late itself and that
  /// its author took for what counts. What the settlement's writer had never does.
  func makesLate(
    _ author: Int64, _ sequence: SequenceNumber, _ seen: [Int64: SequenceNumber]
  ) -> Bool {
    let own = self[author]
    guard sequence > own.past else { return false }
    if let first = own.late?.lowerBound, first < sequence { return true }
    for (other, entry) in entries where other != author {
      let had = seen[other] ?? .none
      if !own.isHeard, had < entry.settled { return true }
      if let first = entry.late?.lowerBound, had >= first { return true }
    }
    return false
  }
}

extension AuthorRecord {
  /// Whether a changeset comes late by any settlement: it changes nothing.
  func isLate(_ sequence: SequenceNumber) -> Bool {
    !late.isEmpty && late.contains { $0[number].late?.contains(sequence) == true }
  }

  /// Whether a changeset's operations on objects are taken for nothing.
  func isVoid(_ sequence: SequenceNumber) -> Bool {
    isSuperseded(sequence) || isLate(sequence)
  }

  /// What of it comes late and has not been written again, ascending; each by one settlement.
  var lateRanges: [ClosedRange<SequenceNumber>] {
    var left = late.compactMap { $0[number].late }
    var taken = superseded
    var ranges: [ClosedRange<SequenceNumber>] = []
    left.sort { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
    for range in left {
      ranges += range.pieces(without: taken)
      taken.append(range)
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }
}

extension ClosedRange<SequenceNumber> {
  /// What is left of it, ascending.
  func pieces(without others: [ClosedRange]) -> [ClosedRange] {
    others.reduce([self]) { pieces, other in
      pieces.flatMap { piece -> [ClosedRange] in
        guard piece.overlaps(other) else { return [piece] }
        var left: [ClosedRange] = []
        if piece.lowerBound < other.lowerBound {
          left.append(piece.lowerBound...SequenceNumber(other.lowerBound.rawValue - 1))
        }
        if piece.upperBound > other.upperBound {
          left.append(other.upperBound.next...piece.upperBound)
        }
        return left
      }
    }
  }
}
