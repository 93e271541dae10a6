import AtollStorage
import AtollVocabulary
import Testing

/// The writes of a scenario, in the words of the scenario.
struct Transaction {
  let store: StoreFile

  /// Document 1.
  var document: Editing { get throws { try object("Document", 1) } }

  func object(_ className: String, _ key: Int) throws -> Editing {
    try #require(try find(className, key), "\(className) \(key) is not there")
  }

  /// An object, nil if it is not there.
  func find(_ className: String, _ key: Int) throws -> Editing? {
    let type = try #require(try store.storedClass(named: className))
    return try store.find(type.id, key: .int(Int64(key))).map {
      Editing(store: store, type: type, id: $0)
    }
  }

  /// Makes an object of which `fields` are assigned and `defaults` recorded.
  @discardableResult
  func create(
    _ className: String, _ key: Int, _ fields: [String: Given] = [:],
    defaults: [String: Given] = [:]
  ) throws -> Editing {
    let type = try #require(try store.storedClass(named: className))
    func given(_ fields: [String: Given], isAssigned: Bool) throws -> [NewField] {
      try fields.sorted { $0.key < $1.key }.map { name, value in
        let property = try #require(type.property(named: name))
        return NewField(
          property, try value.newValue(of: property, in: store), isAssigned: isAssigned)
      }
    }
    let id = try store.create(
      type.id, key: .int(Int64(key)),
      fields: try given(fields, isAssigned: true) + given(defaults, isAssigned: false))
    return Editing(store: store, type: type, id: id)
  }

  func delete(_ className: String, _ key: Int) throws {
    let object = try object(className, key)
    try store.delete(object.type.id, id: object.id)
  }
}

/// A value as a scenario writes it.
enum Given: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
  case int(Int)
  case text(String)
  case uuid(UInt64)
  case null
  case decimal(Decimal128)
  case target(Int)
  /// A link to an object that has no key to name it by.
  case object(Editing)
  /// Fields of an embedded object, or entries of a map.
  case named([(String, Given)])
  /// Elements of a list, or members of a set.
  case elements([Given])

  init(integerLiteral value: Int) { self = .int(value) }
  init(stringLiteral value: String) { self = .text(value) }
  init(nilLiteral: ()) { self = .null }
  init(dictionaryLiteral elements: (String, Given)...) { self = .named(elements) }
  init(arrayLiteral elements: Given...) { self = .elements(elements) }

  /// The value for a property, or for an element, member or entry of one.
  func newValue(
    of property: StoredProperty, in store: StoreFile, isElement: Bool = false
  ) throws -> NewValue {
    switch self {
    case .int(let value): return .scalar(.int(Int64(value)))
    case .text(let value): return .scalar(.string(value))
    case .uuid(let value): return .scalar(.uuid(UniqueBytes(high: 0, low: value)))
    case .null: return .scalar(.null)
    case .decimal(let value): return .scalar(.decimal(value))
    case .target(let key):
      let target = try property.target ?? #require(try store.storedClass(named: "Target")).id
      return .link(target, try #require(try store.find(target, key: .int(Int64(key)))))
    case .object(let target): return .link(target.type.id, target.id)
    case .elements(let values):
      let elements = try values.map { try $0.newValue(of: property, in: store, isElement: true) }
      return property.collection == .set ? .set(elements) : .list(elements)
    case .named(let values):
      guard property.type != .embedded || !isElement && property.collection == .map else {
        return try embedded(values, of: property, in: store)
      }
      return .map(
        try values.map { key, value in
          NewEntry(key: key, value: try value.newValue(of: property, in: store, isElement: true))
        })
    }
  }

  private func embedded(
    _ fields: [(String, Given)], of property: StoredProperty, in store: StoreFile
  ) throws -> NewValue {
    let type = try store.storedClass(try #require(property.target))
    return .embedded(
      try fields.map { name, value in
        let property = try #require(type.property(named: name))
        return NewField(property, try value.newValue(of: property, in: store))
      })
  }
}

/// An object, or an embedded object inside it, that a scenario writes into.
struct Editing {
  let store: StoreFile
  /// The class of the object that has the row.
  let type: StoredClass
  let id: RowID
  var steps: [FieldPath.Step] = []

  /// The class that the steps lead to.
  private var inner: StoredClass {
    get throws {
      switch steps.last {
      case nil: type
      case .slot(let property), .element(let property, _):
        try store.storedClass(try #require(property.target))
      }
    }
  }

  func path(_ name: String) throws -> FieldPath {
    FieldPath(steps: steps, property: try #require(try inner.property(named: name)))
  }

  func set(_ name: String, _ value: Given) throws {
    let path = try path(name)
    try store.assign(type.id, id: id, path, try value.newValue(of: path.property, in: store))
  }

  func add(_ amount: Int64, to name: String) throws {
    try store.increment(type.id, id: id, try path(name), by: amount)
  }

  /// The embedded object in a to-one property.
  func embedded(_ name: String) throws -> Editing {
    Editing(
      store: store, type: type, id: id, steps: steps + [.slot(try path(name).property)])
  }

  func list(_ name: String) throws -> EditingList {
    EditingList(object: self, path: try path(name))
  }

  func members(_ name: String) throws -> EditingSet {
    EditingSet(object: self, path: try path(name))
  }

  func map(_ name: String) throws -> EditingMap {
    EditingMap(object: self, path: try path(name))
  }

  /// The list in a slot of any type.
  func listInside(_ name: String) throws -> EditingList {
    EditingList(object: self, path: try path(name).inside())
  }

  /// The map in a slot of any type.
  func mapInside(_ name: String) throws -> EditingMap {
    EditingMap(object: self, path: try path(name).inside())
  }
}
