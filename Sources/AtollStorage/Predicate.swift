package import AtollVocabulary

/// What objects of a class must satisfy; one tree for the query language and for text.
///
/// Null logic is two-valued: nil equals nil, differs from everything else, and is neither less nor
/// greater than anything. NaN equals nothing, itself included, and is ordered with nothing. A path
/// through a link or an embedded object that is not there reads nil.
package indirect enum Predicate: Hashable, Sendable {
  case always
  case never
  case all([Predicate])
  case any([Predicate])
  case not(Predicate)
  case comparison(PropertyPath, Comparator, Operand)
  /// Whether the value is one of these; nil may be among them.
  case contained(PropertyPath, [PersistedValue])
  /// Whether a string or data begins with, ends with or holds another.
  case text(PropertyPath, TextMatch, String)

  package enum Comparator: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum TextMatch: Hashable, Sendable {
    case prefix, suffix, infix
  }

  package enum Operand: Hashable, Sendable {
    case value(PersistedValue)
    /// An object of the path's target class, for paths that end in a link.
    case object(RowID)
    case path(PropertyPath)
  }
}

/// Properties from a class to a value, through links and embedded objects.
package struct PropertyPath: Hashable, Sendable {
  /// At least one; the last may be a key, a scalar, a link or an embedded slot.
  package var steps: [StoredProperty]

  package init(_ steps: [StoredProperty]) { self.steps = steps }
  package init(_ steps: StoredProperty...) { self.steps = steps }
}
