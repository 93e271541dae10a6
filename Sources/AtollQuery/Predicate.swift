package import AtollVocabulary

/// The condition on objects of a class; one tree for the query language and for text.
///
/// Null logic is two-valued: nil equals nil, so that it is at least and at most nil, differs from
/// everything else, and is neither less nor greater than anything. NaN equals nothing, itself included, and is ordered with nothing. A path
/// through a link or an embedded object that is not there reads nil.
///
/// A condition on *some* element of a collection is ``exists(_:_:)``; the condition inside it names
/// the element by ``PropertyPath/scope``. "None" is its negation.
package indirect enum Predicate: Hashable, Sendable {
  case always
  case never
  case all([Predicate])
  case any([Predicate])
  case not(Predicate)
  case comparison(Expression, Comparator, Expression)
  /// The left side is one of these constants; nil may be among them.
  case contained(Expression, [Expression])
  /// A string or data begins with, ends with, contains, is or looks like another.
  ///
  /// Nothing does where either side is nil, or where the other is empty and no pattern.
  case text(Expression, TextMatch, TextOptions, Expression)
  /// The link at the path leads to one of these rows, alive or not.
  case linked(PropertyPath, [RowID])
  /// The collection at the path has an element that satisfies the condition.
  case exists(PropertyPath, Predicate)

  package enum Comparator: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum TextMatch: Hashable, Sendable {
    case prefix, suffix, infix
    case equal
    /// With `*` for any characters, `?` for one, and a backslash before either to mean itself.
    case pattern
    /// Has the words of a ``TextSearch``; of properties with a full-text index only.
    case search
  }

  package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let ignoresCase = TextOptions(rawValue: 1)
    package static let ignoresDiacritics = TextOptions(rawValue: 2)
  }

  package enum Aggregate: Hashable, Sendable {
    case minimum, maximum, sum, average
  }

  package enum Operation: String, Hashable, Sendable {
    case add = "+", subtract = "-", multiply = "*", divide = "/"
  }

  /// One side of a comparison.
  package indirect enum Expression: Hashable, Sendable {
    case value(PersistedValue)
    /// An area that an embedded point may lie in; only in ``Predicate/contained(_:_:)``.
    case shape(GeoShape)
    /// An object of this file; without a class, of the one that the other side links to.
    case object(RowID, of: ClassID? = nil)
    /// Whatever object of the class has the key, at the moment that is asked.
    case keyed(ClassID, PersistedValue)
    case path(PropertyPath)
    /// The kind of the any-typed value at the path: `int`, `object`, `null` and so on.
    case kind(PropertyPath)
    /// The number of elements of the collection at the path that satisfy the condition.
    case count(PropertyPath, Predicate)
    /// An aggregate of what the second path says of each element of the first's collection.
    case aggregate(Aggregate, PropertyPath, of: PropertyPath)
    /// A number made of two; nil where one of them is, and of a whole number divided by zero.
    case computed(Expression, Operation, Expression)
  }
}

extension Predicate {
  package static func comparison(
    _ path: PropertyPath, _ comparator: Comparator, _ other: Expression
  ) -> Predicate {
    .comparison(.path(path), comparator, other)
  }

  package static func contained(_ path: PropertyPath, _ values: [PersistedValue]) -> Predicate {
    .contained(.path(path), values.map { .value($0) })
  }

  package static func text(
    _ path: PropertyPath, _ match: TextMatch, _ text: String, _ options: TextOptions = []
  ) -> Predicate {
    .text(.path(path), match, options, .value(.string(text)))
  }

  /// The path that has to be less than a constant for this to hold, if it says nothing else.
  package var pathBoundedAbove: PropertyPath? {
    switch self {
    case .comparison(.path(let path), .less, .value),
      .comparison(.path(let path), .lessOrEqual, .value),
      .comparison(.value, .greater, .path(let path)),
      .comparison(.value, .greaterOrEqual, .path(let path)):
      path
    case .always, .never, .all, .any, .not, .comparison, .contained, .linked, .text, .exists: nil
    }
  }

  /// Both conditions, without nesting where one says nothing or is a conjunction already.
  package func and(_ other: Predicate) -> Predicate {
    switch (self, other) {
    case (.always, _): other
    case (_, .always): self
    case (.all(let parts), _): .all(parts + [other])
    case (_, _): .all([self, other])
    }
  }
}

// MARK: - Walking the tree

extension Predicate {
  /// A path in a condition, and the collections around it whose elements it may begin at.
  fileprivate struct Place {
    var path: PropertyPath
    var around: [PropertyPath]

    /// The steps to it from the object that the condition is of; nil if it begins elsewhere.
    var way: [PropertyPath.Step]? {
      var ways: [[PropertyPath.Step]] = [[]]
      for collection in around {
        guard ways.indices.contains(collection.scope) else { return nil }
        ways.append(ways[collection.scope] + collection.steps)
      }
      return ways.indices.contains(path.scope) ? ways[path.scope] + path.steps : nil
    }
  }

  /// Every path in the condition, those to collections included.
  package var paths: [PropertyPath] { places([]).map(\.path) }

  /// Every path in the condition by its steps from the queried object on; nil if one begins elsewhere.
  package var ways: [[PropertyPath.Step]]? {
    let places = places([])
    let ways = places.compactMap(\.way)
    return ways.count == places.count ? ways : nil
  }

  fileprivate func places(_ around: [PropertyPath]) -> [Place] {
    switch self {
    case .always, .never: []
    case .all(let parts), .any(let parts): parts.flatMap { $0.places(around) }
    case .not(let part): part.places(around)
    case .comparison(let left, _, let right): left.places(around) + right.places(around)
    case .text(let left, _, _, let right): left.places(around) + right.places(around)
    case .contained(let left, _): left.places(around)
    case .linked(let path, _): [Place(path: path, around: around)]
    case .exists(let collection, let part):
      [Place(path: collection, around: around)] + part.places(around + [collection])
    }
  }
}

extension Predicate.Expression {
  /// True if it is a count or an aggregate of a collection, or is computed with one.
  package var hasAggregate: Bool {
    switch self {
    case .count, .aggregate: true
    case .computed(let left, _, let right): left.hasAggregate || right.hasAggregate
    case .value, .object, .keyed, .shape, .path, .kind: false
    }
  }

  package var paths: [PropertyPath] { places([]).map(\.path) }

  fileprivate func places(_ around: [PropertyPath]) -> [Predicate.Place] {
    switch self {
    case .value, .object, .keyed, .shape: []
    case .path(let path), .kind(let path): [.init(path: path, around: around)]
    case .count(let collection, let part):
      [.init(path: collection, around: around)] + part.places(around + [collection])
    case .aggregate(_, let member, let collection):
      [
        .init(path: collection, around: around),
        .init(path: member, around: around + [collection]),
      ]
    case .computed(let left, _, let right): left.places(around) + right.places(around)
    }
  }
}

extension Predicate {
  /// The classes of objects that are named by their keys.
  package var keyedClasses: Set<ClassID> {
    switch self {
    case .always, .never, .linked: []
    case .all(let parts), .any(let parts):
      parts.reduce(into: []) { $0.formUnion($1.keyedClasses) }
    case .not(let part), .exists(_, let part): part.keyedClasses
    case .comparison(let left, _, let right), .text(let left, _, _, let right):
      left.keyedClasses.union(right.keyedClasses)
    case .contained(let left, let values):
      values.reduce(into: left.keyedClasses) { $0.formUnion($1.keyedClasses) }
    }
  }
}

extension Predicate.Expression {
  fileprivate var keyedClasses: Set<ClassID> {
    switch self {
    case .value, .object, .shape, .path, .kind, .aggregate: []
    case .keyed(let target, _): [target]
    case .count(_, let part): part.keyedClasses
    case .computed(let left, _, let right): left.keyedClasses.union(right.keyedClasses)
    }
  }
}

extension Predicate.Comparator {
  /// True if it asks which of two is greater.
  package var isOrder: Bool {
    switch self {
    case .equal, .notEqual: false
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    }
  }

  /// True if it holds of a value and itself, nil included.
  package var allowsEqual: Bool {
    switch self {
    case .equal, .lessOrEqual, .greaterOrEqual: true
    case .notEqual, .less, .greater: false
    }
  }

  /// The comparator that says the same with its sides exchanged.
  package var mirrored: Predicate.Comparator {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
