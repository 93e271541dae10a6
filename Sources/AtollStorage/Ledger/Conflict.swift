package import AtollVocabulary

/// By which rule a write lost to one that it had not seen.
///
/// The raw value is the file's.
package enum ConflictRule: Int64, Hashable, Sendable, CaseIterable {
  /// The later hybrid time holds.
  case laterTime = 1
  /// Of two writes of one time, the greater author's holds.
  case greaterAuthor = 2
  /// A delete ends an object, whatever was written in it meanwhile.
  case deleted = 3
  /// An embedded object, list or map was replaced whole, with all inside it.
  case instanceReplaced = 4
  /// A step counts on the value it was made on, and that was replaced.
  case stepDropped = 5
  /// An element was removed from its list for good.
  case elementRemoved = 6
  /// An object that was deleted was made again by somebody who had not seen the delete.
  case recreated = 7
}

extension ConflictRule: CustomStringConvertible {
  package var description: String {
    switch self {
    case .laterTime: "the later time holds"
    case .greaterAuthor: "of two writes of one time, the greater author's holds"
    case .deleted: "a delete ends the object with what was written meanwhile"
    case .instanceReplaced: "what it was written in was replaced whole"
    case .stepDropped: "the value that the step was made on was replaced"
    case .elementRemoved: "the element was removed for good"
    case .recreated: "the object was made again"
    }
  }
}

/// A write's value, author and time; who and when are nil where the file does not know any more.
package struct ConflictSide: Hashable, Sendable {
  package var value: LedgerValue
  package var author: Author?
  package var time: HybridTime?
}

/// One entry of the ledger: a write that was lost to another, neither having seen the other.
package struct Conflict: Hashable, Sendable {
  /// Its place in the ledger, which only grows.
  package let number: Int64
  package let className: String
  package let classID: ClassID
  package let key: PersistedValue
  /// The way to the cell, for people: `name`, `coordinate.latitude`, `tags["x"]`.
  package let path: String
  package let rule: ConflictRule
  package let losing: ConflictSide
  /// The value that won when the entry was made.
  package let winning: ConflictSide
}
