import AtollStorage
import AtollVocabulary

extension Query where T: _PropertyValue {
  /// Whether the property is `value`; a mapped value is compared as it is stored.
  public static func == (query: Query, value: T) -> Query<Bool> {
    query.compare(.equal, value)
  }

  /// Whether the property is anything but `value`, nil included.
  public static func != (query: Query, value: T) -> Query<Bool> {
    query.compare(.notEqual, value)
  }

  /// Whether two properties of one type have one value.
  public static func == (a: Query, b: Query) -> Query<Bool> { a.compare(.equal, b) }

  /// Whether two properties of one type have different values.
  public static func != (a: Query, b: Query) -> Query<Bool> { a.compare(.notEqual, b) }
}

extension Query where T: _PropertyValue, T.PersistedType: _Ordered {
  /// Whether the property is less than `value`, as stored; nil is not.
  public static func < (query: Query, value: T) -> Query<Bool> { query.compare(.less, value) }

  /// Whether the property is at most `value`, as stored; nil is not.
  public static func <= (query: Query, value: T) -> Query<Bool> {
    query.compare(.lessOrEqual, value)
  }

  /// Whether the property is greater than `value`, as stored; nil is not.
  public static func > (query: Query, value: T) -> Query<Bool> { query.compare(.greater, value) }

  /// Whether the property is at least `value`, as stored; nil is not.
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

extension Query where T: EmbeddedObject {
  /// Whether the property is this very embedded object; an unmanaged one is never there (rule 55).
  public static func == (query: Query, value: T) -> Query<Bool> { Query<Bool>(.condition(.never)) }

  /// Whether the property is anything but this very embedded object.
  public static func != (query: Query, value: T) -> Query<Bool> { Query<Bool>(.condition(.always)) }
}

extension Query where T == Bool {
  /// Whether both conditions hold; a Bool property by itself is the condition that it is true.
  public static func && (a: Query, b: Query) -> Query {
    Query(.condition(.all([a.predicate, b.predicate])))
  }

  /// Whether one of the conditions holds.
  public static func || (a: Query, b: Query) -> Query {
    Query(.condition(.any([a.predicate, b.predicate])))
  }

  /// Whether the condition does not hold.
  public static prefix func ! (query: Query) -> Query { Query(.condition(.not(query.predicate))) }

  /// The condition as the file evaluates it.
  var predicate: Predicate {
    switch term {
    case .condition(let predicate): predicate
    case .path(let path): .comparison(PropertyPath(path.steps), .equal, .value(.bool(true)))
    }
  }
}

extension Query where T: _PropertyValue {
  private func compare(_ comparator: Predicate.Comparator, _ value: T) -> Query<Bool> {
    guard case .single(let stored) = value._encodeProperty().content else {
      Trap.stop("Comparing \(T.self) in a query: lists are not compared as a whole.")
    }
    guard case .path(let path) = term else { return compareCondition(comparator, stored) }
    return Query<Bool>(.condition(path.compare(comparator, stored)))
  }

  private func compare(_ comparator: Predicate.Comparator, _ other: Query) -> Query<Bool> {
    guard case .path(let a) = term, case .path(let b) = other.term else {
      Trap.stop("Comparing two conditions in a query: combine them with && or || instead.")
    }
    return Query<Bool>(
      .condition(.comparison(PropertyPath(a.steps), comparator, .path(PropertyPath(b.steps)))))
  }

  /// `($0.a > 1) == false` and the like.
  private func compareCondition(
    _ comparator: Predicate.Comparator, _ stored: _Stored
  ) -> Query<Bool> {
    guard case .condition(let predicate) = term,
      case .scalar(.bool(let value))? = stored.scalar.map({ _Stored($0).content })
    else { Trap.stop("A condition can only be compared with true or false.") }
    return Query<Bool>(
      .condition(value == (comparator == .equal) ? predicate : .not(predicate)))
  }
}

extension QueryPath {
  func compare(_ comparator: Predicate.Comparator, _ value: _Stored) -> Predicate {
    switch value.content {
    case .scalar(let scalar):
      return .comparison(PropertyPath(steps), comparator, .value(scalar))
    case .object(let object as EmbeddedObject):
      return comparator == .notEqual
        ? .not(memberwise(object)) : memberwise(object)
    case .object(let object):
      guard let row = object.managedRow, row.store === store else {
        return comparator == .notEqual ? .always : .never
      }
      return .comparison(PropertyPath(steps), comparator, .object(row.id))
    case .list, .map: Trap.stop("Comparing '\(text)' with a collection is not possible.")
    }
  }

  /// Rules 50, 51 and 54: every property of the embedded class, grouped.
  private func memberwise(_ object: EmbeddedObject) -> Predicate {
    guard property?.type.isMapped == true else { return .never }
    guard let model = table?.model else { return .never }
    let members = model.properties.map { member in
      let place = "'\(model.name).\(member.name)'"
      if member.type.collection != .none {
        Trap.stop(
          "Unsupported property \(place) for memberwise equality query: "
            + "equality on collections is not implemented.")
      }
      if member.type.type == .link {
        Trap.stop(
          "Unsupported property \(place) for memberwise equality query: "
            + "object links are not implemented.")
      }
      guard case .single(let stored) = member.input(of: object).content else {
        return Predicate.never
      }
      return appending(member.name).compare(.equal, stored)
    }
    let isThere = Predicate.comparison(PropertyPath(steps), .notEqual, .value(.null))
    return .all([isThere] + members)
  }
}
