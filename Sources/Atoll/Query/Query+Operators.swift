import AtollQuery
import AtollStorage
import AtollVocabulary

extension Query where T: _PropertyValue {
  /// Tells whether the property is `value`; a mapped value is compared as it is stored.
  public static func == (query: Query, value: T) -> Query<Bool> {
    query.compare(.equal, value)
  }

  /// Tells whether the property is anything but `value`, nil included.
  public static func != (query: Query, value: T) -> Query<Bool> {
    query.compare(.notEqual, value)
  }

  /// Tells whether two properties of one type have one value.
  public static func == (a: Query, b: Query) -> Query<Bool> { a.compare(.equal, b) }

  /// Tells whether two properties of one type have different values.
  public static func != (a: Query, b: Query) -> Query<Bool> { a.compare(.notEqual, b) }
}

extension Query where T: _PropertyValue, T.PersistedType: _Ordered {
  /// Tells whether the property is less than `value`, as stored; nil is not.
  public static func < (query: Query, value: T) -> Query<Bool> { query.compare(.less, value) }

  /// Tells whether the property is at most `value`, as stored; nil is at most nil.
  public static func <= (query: Query, value: T) -> Query<Bool> {
    query.compare(.lessOrEqual, value)
  }

  /// Tells whether the property is greater than `value`, as stored; nil is not.
  public static func > (query: Query, value: T) -> Query<Bool> { query.compare(.greater, value) }

  /// Tells whether the property is at least `value`, as stored; nil is at least nil.
  public static func >= (query: Query, value: T) -> Query<Bool> {
    query.compare(.greaterOrEqual, value)
  }

  /// Compares two properties of one type.
  public static func < (a: Query, b: Query) -> Query<Bool> { a.compare(.less, b) }

  /// Compares two properties of one type.
  public static func <= (a: Query, b: Query) -> Query<Bool> { a.compare(.lessOrEqual, b) }

  /// Compares two properties of one type.
  public static func > (a: Query, b: Query) -> Query<Bool> { a.compare(.greater, b) }

  /// Compares two properties of one type.
  public static func >= (a: Query, b: Query) -> Query<Bool> { a.compare(.greaterOrEqual, b) }
}

extension Query where T: Object {
  /// Tells whether it is this very object; an object of no store, or of another, is none.
  public static func == (query: Query, value: T) -> Query<Bool> {
    query.compare(.equal, value._encode())
  }

  /// Tells whether it is another object.
  public static func != (query: Query, value: T) -> Query<Bool> {
    query.compare(.notEqual, value._encode())
  }

  /// Tells whether it is one of these objects.
  public func `in`(_ values: some Sequence<T>) -> Query<Bool> {
    isOne(of: values.map { $0._encode() })
  }
}

extension Query where T: EmbeddedObject {
  /// Tells whether the property is this very embedded object; an unmanaged one is never there (rule 55).
  public static func == (query: Query, value: T) -> Query<Bool> {
    query.compare(.equal, value._encode())
  }

  /// Tells whether the property is anything but this very embedded object.
  public static func != (query: Query, value: T) -> Query<Bool> {
    query.compare(.notEqual, value._encode())
  }
}

extension Query where T == Bool {
  /// Tells whether both conditions hold; a Bool property by itself is the condition that it is true.
  public static func && (a: Query, b: Query) -> Query {
    a.joining(b, isAnd: true)
  }

  /// Tells whether one of the conditions holds.
  public static func || (a: Query, b: Query) -> Query {
    a.joining(b, isAnd: false)
  }

  /// Tells whether the condition does not hold.
  public static prefix func ! (query: Query) -> Query {
    Query(.not(query.predicate), query.store, depth: query.depth + 1)
  }

  /// Conditions inside one another, counted.
  private var depth: Int {
    switch term {
    case .condition(_, _, let depth): depth
    case .path: predicate.depth
    }
  }

  /// Both or either; a chain that gets long goes on side by side instead of inside one another.
  private func joining(_ other: Query, isAnd: Bool) -> Query {
    let (a, b) = (predicate, other.predicate)
    var (depth, otherDepth) = (depth, other.depth)
    var parts = [a, b]
    if Swift.max(depth, otherDepth) >= Self.chainDepth {
      let (left, right) = (a.parts(isAnd), b.parts(isAnd))
      if left.count > 1 { depth -= 1 }
      if right.count > 1 { otherDepth -= 1 }
      parts = left + right
    }
    return Query(
      isAnd ? .all(parts) : .any(parts), store ?? other.store,
      depth: Swift.max(depth, otherDepth) + 1)
  }

  /// The depth of a chain of ANDs or of ORs before it goes on side by side.
  private static var chainDepth: Int { 8 }

  /// The condition as the file evaluates it.
  var predicate: Predicate {
    switch term {
    case .condition(let predicate, _, _): predicate
    case .path(let path):
      path.some { .comparison($0.expression, .equal, .value(.bool(true))) }
    }
  }
}

extension _PropertyValue {
  /// The value as a query compares it.
  var queryOperand: _Stored {
    guard case .single(let stored) = _encodeProperty().content else {
      Trap.stop("Comparing \(Self.self) in a query: collections are not compared as a whole.")
    }
    return stored
  }
}

extension Query {
  func compare(_ comparator: Predicate.Comparator, _ value: _Stored) -> Query<Bool> {
    switch term {
    case .path(let path): Query<Bool>(path.compare(comparator, value), store)
    case .condition(let predicate, _, _): compare(predicate, comparator, value)
    }
  }

  func isOne(of values: [_Stored]) -> Query<Bool> {
    Query<Bool>(path("Looking for a condition in a list").contained(in: values), store)
  }

  /// `($0.a > 1) == false` and the like.
  private func compare(
    _ predicate: Predicate, _ comparator: Predicate.Comparator, _ value: _Stored
  ) -> Query<Bool> {
    guard case .scalar(.bool(let flag)) = value.content else {
      Trap.stop("A condition can only be compared with true or false.")
    }
    return Query<Bool>(flag == (comparator == .equal) ? predicate : .not(predicate), store)
  }
}

extension Query where T: _PropertyValue {
  private func compare(_ comparator: Predicate.Comparator, _ value: T) -> Query<Bool> {
    compare(comparator, value.queryOperand)
  }

  private func compare(_ comparator: Predicate.Comparator, _ other: Query) -> Query<Bool> {
    let doing = "Comparing two conditions in a query"
    let (a, b) = (path(doing), other.path(doing))
    if a.expression.hasAggregate, b.expression.hasAggregate {
      Trap.stop("Comparing '\(a.text)' with '\(b.text)': one side only may be an aggregate.")
    }
    if b.crossing.collections.isEmpty {
      let other = b.expression.deepened(by: a.crossing.collections.count, from: 1)
      return Query<Bool>(a.some { .comparison($0.expression, comparator, other) }, store)
    }
    guard a.crossing.collections.isEmpty else {
      Trap.stop(
        "Comparing '\(a.text)' with '\(b.text)': one side only may lead through a collection.")
    }
    let other = a.expression.deepened(by: b.crossing.collections.count, from: 1)
    return Query<Bool>(b.some { .comparison($0.expression, comparator.mirrored, other) }, store)
  }
}

// MARK: - Predicates

extension Predicate {
  /// The conditions that this one joins by AND, or by OR; itself if it joins none.
  fileprivate func parts(_ isAnd: Bool) -> [Predicate] {
    switch self {
    case .all(let parts) where isAnd: parts
    case .any(let parts) where !isAnd: parts
    case .always, .never, .all, .any, .not, .comparison, .contained, .text, .linked, .exists: [self]
    }
  }
}

extension QueryPath {
  func compare(_ comparator: Predicate.Comparator, _ value: _Stored) -> Predicate {
    if let members = members(of: value), comparator == .notEqual,
      !crossing.collections.isEmpty
    {
      // Rule 53: at least one element, and none that equals the value.
      return .all([some { _ in .always }, .not(some { $0.memberwise(members) })])
    }
    return some { $0.plain(comparator, value) }
  }

  func contained(in values: [_Stored]) -> Predicate {
    some { way in
      var plain: [Predicate.Expression] = []
      var parts: [Predicate] = []
      for value in values {
        if let members = way.members(of: value) {
          parts.append(way.memberwise(members))
        } else if let object = value.object as? EmbeddedObject {
          parts.append(way.isEmbedded(object))
        } else if let constant = way.constant(value) {
          plain.append(constant)
        }
      }
      if parts.isEmpty { return .contained(way.expression, plain) }
      return .any(plain.isEmpty ? parts : parts + [.contained(way.expression, plain)])
    }
  }

  /// The condition on one value.
  private func plain(_ comparator: Predicate.Comparator, _ value: _Stored) -> Predicate {
    if let members = members(of: value) {
      let isEqual = memberwise(members)
      return comparator == .notEqual ? .not(isEqual) : isEqual
    }
    if let object = value.object as? EmbeddedObject {
      let isSame = isEmbedded(object)
      return comparator == .notEqual ? .not(isSame) : isSame
    }
    guard let constant = constant(value) else {
      if type?.type == .any, let isEqual = isWhole(value) {
        return comparator == .notEqual ? .not(isEqual) : isEqual
      }
      return comparator == .notEqual ? .always : .never
    }
    return .comparison(expression, comparator, constant)
  }

  /// A value in terms of the file; nil for an object that the store does not have.
  func constant(_ value: _Stored) -> Predicate.Expression? {
    switch value.content {
    case .scalar(let scalar): return .value(scalar)
    case .object(let object):
      guard let row = object.managedRow, store === row.store, object is Object else { return nil }
      return .object(row.id, of: row.table.classID)
    case .list, .map:
      if type?.type == .any { return nil }
      Trap.stop("Comparing '\(text)' with a collection is not possible.")
    }
  }

  /// The members of a value mapped to an embedded object, where the property is mapped.
  private func members(of value: _Stored) -> PredicateMembers? {
    guard isMapped, let object = value.object as? EmbeddedObject else { return nil }
    return PredicateMembers(object)
  }

  /// Rules 50, 51 and 54: every property of the embedded class, grouped.
  private func memberwise(_ members: PredicateMembers) -> Predicate {
    guard let store, let table, case .path(let path) = expression else { return .never }
    do {
      return try members.condition(at: path, of: table.stored, among: store.storedClasses)
    } catch {
      Trap.stop(error.description)
    }
  }
}

extension PredicateMembers {
  init(_ object: EmbeddedObject) {
    let model = ModelClass.of(Swift.type(of: object))
    self.init(
      className: model.name,
      members: model.properties.map { property in
        (property.columnName, Self.member(property, property.input(of: object)))
      })
  }

  private static func member(_ property: PropertyDescriptor, _ input: _PropertyInput) -> Member {
    guard case .single(let stored) = input.content, property.type.collection == .none else {
      return .collection
    }
    if property.type.type == .link { return .link }
    switch stored.content {
    case .scalar(let scalar): return .value(scalar)
    case .object(let object as EmbeddedObject): return .members(PredicateMembers(object))
    case .object: return .link
    case .list, .map: return .collection
    }
  }
}

extension Store {
  /// The store's classes by their numbers in the file.
  var storedClasses: [ClassID: StoredClass] {
    Dictionary(tables.map { ($0.classID, $0.stored) }, uniquingKeysWith: { first, _ in first })
  }
}
