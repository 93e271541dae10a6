import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// Why the text of a predicate cannot be read.
public struct PredicateParsingError: Error, Hashable, Sendable {
  /// The predicate as a whole.
  public let predicate: String
  /// Characters before the place that cannot be read.
  public let position: Int
  /// The text at that place; empty at the end.
  public let found: String
  /// The expected text.
  public let expected: String
  /// The name of a property that was probably meant.
  public let nearestName: String?
  /// All of it in words, with a mark below the place.
  public let message: String

  init(_ error: PredicateTextError) {
    predicate = error.text
    position = error.offset
    found = error.found
    expected = error.expected
    nearestName = error.nearest
    message = error.description
  }
}

extension PredicateParsingError: LocalizedError, CustomStringConvertible {
  public var description: String { message }
  public var errorDescription: String? { message }
}

extension Results {
  /// The objects that satisfy a predicate in text too, in the dialect of `NSPredicate`.
  ///
  /// ```swift
  /// airports.filter("country.code IN %@ AND ANY runways.length > %d", ["CH", "FR"], 3000)
  /// airports.filter("name BEGINSWITH[cd] 'zur' SORT(name DESC) LIMIT(10)")
  /// ```
  ///
  /// Arguments are of the mapped or of the persisted type. Stops if the text cannot be read;
  /// ``filter(parsing:_:)`` throws.
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results {
    filter(predicate, given: arguments)
  }

  package func filter(_ predicate: String, given arguments: [Any?]) -> Results {
    do {
      return try filter(parsing: predicate, all: arguments)
    } catch {
      Trap.stop(error.message)
    }
  }

  /// The objects that satisfy a predicate in text, as ``filter(_:_:)`` gives them.
  ///
  /// - Throws: ``PredicateParsingError`` with the place, what stands there, what would do, and the name that
  ///   was probably meant.
  public func filter(
    parsing predicate: String, _ arguments: Any?...
  ) throws(PredicateParsingError) -> Results {
    try filter(parsing: predicate, all: arguments)
  }

  /// The index of the first object that satisfies a condition; nil if none does.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    place(of: self.where(isIncluded))
  }

  /// The index of the first object that satisfies a predicate in text; nil if none does.
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    index(matching: predicate, given: arguments)
  }

  package func index(matching predicate: String, given arguments: [Any?]) -> Int? {
    place(of: filter(predicate, given: arguments))
  }

  /// The objects that satisfy a predicate in text, with the arguments in an array.
  ///
  /// - Throws: ``PredicateParsingError``, as ``filter(parsing:_:)`` does.
  public func filter(
    parsing predicate: String, all arguments: [Any?]
  ) throws(PredicateParsingError) -> Results {
    prepare("Filtering")
    let arguments = arguments.map { PredicateArgument($0, in: store) }
    do {
      let query = try PredicateParser.query(
        predicate, arguments: arguments, from: query, in: scope)
      return narrowed(to: query)
    } catch {
      throw PredicateParsingError(error)
    }
  }
}

extension Store {
  /// Returns the meaning of names in a predicate about objects of the table, or about values.
  func predicateScope(of table: Table) -> PredicateScope {
    table.predicateScope {
      named(PredicateScope(subject: table.stored, classes: tables.map(\.stored)))
    }
  }

  /// Returns the meaning of names in a predicate about the elements of a collection.
  func predicateScope(ofElements property: StoredProperty) -> PredicateScope {
    named(PredicateScope(element: property, classes: tables.map(\.stored)))
  }

  /// The scope with the names that properties have in the model.
  private func named(_ scope: PredicateScope) -> PredicateScope {
    var scope = scope
    for table in tables {
      for property in table.model.properties {
        // Another model may have named the key.
        let name = property.isPrimaryKey ? table.stored.key?.name : property.columnName
        guard let name, name != property.name else { continue }
        scope.aliases[table.classID, default: [:]][property.name] = name
      }
      for linking in table.model.linking {
        let origin = self.table(of: linking.origin, "Reading a predicate")
        let property = origin.model.property(named: linking.originProperty)
        scope.origins[table.classID, default: [:]][linking.name] =
          property.flatMap { origin.step(to: $0) }
      }
    }
    return scope
  }
}

extension PredicateArgument {
  /// A value of the application in terms of the file: mapped, persisted, or several of either.
  init(_ any: Any?, in store: Store) {
    // The usual ones first, because asking what a value conforms to takes longer than all the rest.
    switch any {
    case let number as Int: self = .value(.int(Int64(number)))
    case let text as String: self = .value(.string(text))
    case let number as Double: self = .value(.double(number))
    default: self.init(other: any, in: store)
    }
  }

  private init(other any: Any?, in store: Store) {
    guard let any, !isNull(any) else {
      self = .value(.null)
      return
    }
    if let area = any as? any GeoArea {
      self = .shape(area._shape.shape)
    } else if let value = any as? any _PersistableValue {
      self = Self.argument(of: value, in: store)
    } else if let number = any as? any BinaryInteger {
      self = Int64(exactly: number).map { .value(.int($0)) } ?? .unfit("'\(number)'")
    } else if let number = any as? any BinaryFloatingPoint {
      self = .value(.double(Double(number)))
    } else if let value = Coercion.natural(any) {
      // Foundation's classes: NSNumber, NSString, NSDate, NSData, NSUUID.
      self = .value(value)
    } else if let values = any as? any Sequence {
      self = Self.list(values, in: store)
    } else {
      self = .unfit("a value of type \(type(of: any))")
    }
  }

  private static func argument<Value: _PersistableValue>(
    of value: Value, in store: Store
  ) -> PredicateArgument {
    argument(value._encode(), isMapped: Value._valueType.isMapped, in: store)
  }

  private static func argument(
    _ stored: _Stored, isMapped: Bool, in store: Store
  ) -> PredicateArgument {
    switch stored.content {
    case .scalar(let value): return .value(value)
    case .object(let object as EmbeddedObject):
      if isMapped { return .members(PredicateMembers(object)) }
      guard let place = object.embeddedPlace(in: store) else { return .stranger }
      return .embedded(place.row, of: place.classID, at: place.steps)
    case .object(let object):
      guard let row = object.managedRow, row.store === store else { return .stranger }
      return .object(row.id, of: row.table.classID)
    case .list(let elements):
      return .list(elements.map { argument($0, isMapped: false, in: store) })
    case .map: return .unfit("a map")
    }
  }

  private static func list(_ values: some Sequence, in store: Store) -> PredicateArgument {
    .list(values.map { PredicateArgument($0, in: store) })
  }
}
