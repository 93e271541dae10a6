import AtollStorage
import AtollVocabulary
import Testing

/// What a scenario writes, in the words of the scenario.
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
  ExpressibleByDictionaryLiteral
{
  case int(Int)
  case text(String)
  case uuid(UInt64)
  case null
  case target(Int)
  case embedded([(String, Given)])

  init(integerLiteral value: Int) { self = .int(value) }
  init(stringLiteral value: String) { self = .text(value) }
  init(nilLiteral: ()) { self = .null }
  init(dictionaryLiteral elements: (String, Given)...) { self = .embedded(elements) }

  func newValue(of property: StoredProperty, in store: StoreFile) throws -> NewValue {
    switch self {
    case .int(let value): return .scalar(.int(Int64(value)))
    case .text(let value): return .scalar(.string(value))
    case .uuid(let value): return .scalar(.uuid(UniqueBytes(high: 0, low: value)))
    case .null: return .scalar(.null)
    case .target(let key):
      let target = try #require(property.target)
      return .link(target, try #require(try store.find(target, key: .int(Int64(key)))))
    case .embedded(let fields):
      let type = try store.storedClass(try #require(property.target))
      return .embedded(
        try fields.map { name, value in
          let property = try #require(type.property(named: name))
          return NewField(property, try value.newValue(of: property, in: store))
        })
    }
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
}

/// A list that a scenario writes into; indices are those of the visible elements.
struct EditingList {
  let object: Editing
  let path: FieldPath

  private var store: StoreFile { object.store }

  var count: Int {
    get throws { try store.elements(of: object.type.id, id: object.id, list: path).count }
  }

  func append(_ value: Given) throws { try insert(value, at: nil) }

  func insert(_ value: Given, at index: Int?) throws {
    _ = try store.listInsert(
      object.type.id, id: object.id, list: path, at: index,
      try value.newValue(of: path.property, in: store))
  }

  func set(_ index: Int, _ value: Given) throws {
    try store.listAssign(
      object.type.id, id: object.id, list: path, at: index,
      try value.newValue(of: path.property, in: store))
  }

  func move(_ source: Int, to destination: Int) throws {
    try store.listMove(
      object.type.id, id: object.id, list: path, from: source, to: destination)
  }

  func remove(_ index: Int) throws {
    try store.listRemove(object.type.id, id: object.id, list: path, at: index)
  }

  func clear() throws { try store.listClear(object.type.id, id: object.id, list: path) }

  /// The embedded object in an element.
  func element(_ index: Int) throws -> Editing {
    let elements = try store.elements(of: object.type.id, id: object.id, list: path)
    var editing = object
    editing.steps.append(.element(path.property, elements[index].id))
    return editing
  }
}
