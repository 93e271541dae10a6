import AtollStorage
import AtollVocabulary
import Testing

/// A page with a set and a map of every sort, and slots that hold anything.
enum CollectionModel {
  static let all: [ClassSchema] = [
    ClassSchema(
      name: "Target", primaryKey: "id", properties: [PropertySchema(name: "id", type: .string)]),
    ClassSchema(
      name: "Spot", isEmbedded: true,
      properties: [
        PropertySchema(name: "v", type: .int), PropertySchema(name: "w", type: .int),
        PropertySchema(name: "marks", type: .string, collection: .list),
        PropertySchema(name: "flags", type: .int, collection: .set),
        PropertySchema(name: "names", type: .string, collection: .map),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Target"),
        PropertySchema(name: "any", type: .any, isOptional: true),
      ]),
    ClassSchema(
      name: "Page", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "n", type: .int),
        PropertySchema(name: "price", type: .decimal),
        PropertySchema(name: "tags", type: .int, collection: .set),
        PropertySchema(name: "words", type: .string, isOptional: true, collection: .set),
        PropertySchema(name: "prices", type: .decimal, collection: .set),
        PropertySchema(name: "numbers", type: .double, collection: .set),
        PropertySchema(name: "friends", type: .link, collection: .set, target: "Target"),
        PropertySchema(name: "dict", type: .int, isOptional: true, collection: .map),
        PropertySchema(
          name: "people", type: .link, isOptional: true, collection: .map, target: "Target"),
        PropertySchema(
          name: "spots", type: .embedded, isOptional: true, collection: .map, target: "Spot"),
        PropertySchema(name: "list", type: .embedded, collection: .list, target: "Spot"),
        PropertySchema(name: "items", type: .int, collection: .list),
        PropertySchema(name: "any", type: .any, isOptional: true),
        PropertySchema(name: "anys", type: .any, isOptional: true, collection: .list),
        PropertySchema(name: "anySet", type: .any, isOptional: true, collection: .set),
        PropertySchema(name: "anyMap", type: .any, isOptional: true, collection: .map),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Spot"),
      ]),
  ]
}

extension PropertySchema {
  init(name: String, type: PersistedType, isOptional: Bool, collection: CollectionKind) {
    self.init(name: name, type: type, collection: collection, isOptional: isOptional)
  }

  init(
    name: String, type: PersistedType, isOptional: Bool, collection: CollectionKind, target: String
  ) {
    self.init(
      name: name, type: type, collection: collection, isOptional: isOptional, target: target)
  }
}

/// Stores that exchange everything in both orders and must then be equal in every way.
struct Exchange {
  let a: TestStore
  let b: TestStore

  init() throws {
    a = try TestStore("a", model: CollectionModel.all)
    b = try TestStore("b", model: CollectionModel.all)
  }

  /// Page 1 and targets T1, T2 on both.
  func start(_ fields: (TestStore) throws -> [NewField] = { _ in [] }) throws {
    try a.write(at: 1_000_000) { a in
      for key in ["T1", "T2"] {
        _ = try a.file.create(a["Target"].id, key: .string(key), fields: [])
      }
      _ = try a.file.create(a["Page"].id, key: .int(1), fields: try fields(a))
    }
    try a.send(to: b)
  }

  /// Exchanges, has a third store hear all of it in another order, and compares all three.
  ///
  /// - Returns: What all of them export of page 1, without its class and key.
  func meet(_ location: SourceLocation = #_sourceLocation) throws -> String {
    let c = try TestStore("c", model: [])
    try b.send(to: c)
    try a.send(to: c)
    try a.send(to: b)
    try b.send(to: a)
    let text = try a.exported()
    for other in [b, c] {
      #expect(try other.exported() == text, sourceLocation: location)
      #expect(try other.file.digest() == a.file.digest(), sourceLocation: location)
    }
    for store in [a, b, c] {
      #expect(try store.file.verify() == [], sourceLocation: location)
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("{\"class\":\"Page\",\"key\":1") }
    return line.map { "{" + $0.dropFirst("{\"class\":\"Page\",\"key\":1,".count) } ?? ""
  }
}

extension TestStore {
  /// Page 1's row.
  var page: RowID {
    get throws { try #require(try file.find(self["Page"].id, key: .int(1))) }
  }

  func target(_ key: String) throws -> NewValue {
    .link(
      self["Target"].id,
      try #require(try file.find(self["Target"].id, key: .string(key)), "no target \(key)"))
  }

  func path(_ name: String, nested: [ElementID]? = nil) -> FieldPath {
    FieldPath(steps: [], property: property("Page", name)[0], nested: nested)
  }

  func spot(_ fields: [String: NewValue]) -> NewValue {
    .embedded(
      fields.sorted { $0.key < $1.key }.map { NewField(property("Spot", $0)[0], $1) })
  }

  /// A property of the embedded object in an element or entry of page 1's collection.
  func path(in collection: String, _ element: ElementID, _ name: String) -> FieldPath {
    FieldPath(
      steps: [.element(property("Page", collection)[0], element)],
      property: property("Spot", name)[0])
  }

  func assign(_ name: String, _ value: NewValue) throws {
    try file.assign(self["Page"].id, id: page, path(name), value)
  }

  @discardableResult
  func insert(_ value: NewValue, into set: String) throws -> Bool {
    try file.setInsert(self["Page"].id, id: page, set: path(set), value)
  }

  @discardableResult
  func remove(_ value: NewValue, from set: String) throws -> Bool {
    try file.setRemove(self["Page"].id, id: page, set: path(set), value)
  }

  @discardableResult
  func put(_ key: String, _ value: NewValue, into map: String) throws -> ElementID {
    try file.mapAssign(self["Page"].id, id: page, map: path(map), key: key, value)
  }

  @discardableResult
  func append(_ value: NewValue, to path: FieldPath) throws -> ElementID {
    try file.listInsert(self["Page"].id, id: page, list: path, at: nil, value)
  }

  func members(_ set: String) throws -> [StoredElement.Value] {
    try file.members(of: self["Page"].id, id: page, set: path(set)).map(\.value)
  }

  func entries(_ map: String) throws -> [StoredEntry] {
    try file.entries(of: self["Page"].id, id: page, map: path(map))
  }

  func elements(_ path: FieldPath) throws -> [StoredElement] {
    try file.elements(of: self["Page"].id, id: page, list: path)
  }
}

extension NewValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .scalar(.int(value)) }
}

extension NewValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .scalar(.string(value)) }
}

extension NewValue: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .scalar(.null) }
}
