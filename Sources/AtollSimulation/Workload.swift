import AtollStorage
import AtollVocabulary

/// The writes of the applications: a few documents that all of them change at once.
struct Workload {
  let document: StoredClass
  let target: StoredClass
  let account: StoredClass
  let remark: StoredClass
  /// Of the model, see ``versions``.
  let version: Int
  /// All classes of the model, some of which not every version has.
  let classes: [StoredClass]
  private let spot: StoredClass

  /// Few enough that nodes meet at them.
  private static let documents: ClosedRange<Int64> = 0...11
  private static let targets = ["T1", "T2", "T3"]

  /// The classes of every version.
  static let commonClasses = [
    ClassSchema(
      name: "Document", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "count", type: .int),
        PropertySchema(name: "rating", type: .int, isOptional: true),
        PropertySchema(name: "ratio", type: .double),
        PropertySchema(name: "title", type: .string, isIndexed: true),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Target"),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Spot"),
        PropertySchema(name: "items", type: .int, collection: .list),
        PropertySchema(name: "links", type: .link, collection: .list, target: "Target"),
        PropertySchema(name: "spots", type: .embedded, collection: .list, target: "Spot"),
        PropertySchema(name: "price", type: .decimal, isOptional: true),
        PropertySchema(name: "tags", type: .int, collection: .set),
        PropertySchema(name: "prices", type: .decimal, collection: .set),
        PropertySchema(name: "friends", type: .link, collection: .set, target: "Target"),
        PropertySchema(name: "scores", type: .int, collection: .map),
        PropertySchema(name: "plan", type: .embedded, collection: .map, target: "Spot"),
        PropertySchema(name: "guide", type: .link, collection: .map, target: "Target"),
        PropertySchema(name: "any", type: .any),
        PropertySchema(name: "anyList", type: .any, collection: .list),
        PropertySchema(name: "anySet", type: .any, collection: .set),
        PropertySchema(name: "anyMap", type: .any, collection: .map),
        PropertySchema(name: "remarks", type: .link, collection: .list, target: "Remark"),
      ]),
    ClassSchema(
      name: "Target", primaryKey: "name",
      properties: [
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "value", type: .int),
      ]),
    ClassSchema(
      name: "Spot", isEmbedded: true,
      properties: [
        PropertySchema(name: "v", type: .int), PropertySchema(name: "w", type: .int),
        PropertySchema(name: "marks", type: .int, collection: .list),
      ]),
  ]

  init?(_ classes: [StoredClass], version: Int) {
    guard let account = classes.first(where: { $0.name == "Account" }),
      let document = classes.first(where: { $0.name == "Document" }),
      let target = classes.first(where: { $0.name == "Target" }),
      let remark = classes.first(where: { $0.name == Self.remarkClass.name }),
      let spot = classes.first(where: { $0.name == "Spot" })
    else { return nil }
    self.document = document
    self.target = target
    self.spot = spot
    self.account = account
    self.remark = remark
    self.version = version
    self.classes = classes
  }

  /// The changes of one transaction; now and then one too large for a frame.
  func transact(
    _ file: StoreFile, isTheft: Bool = false, using random: inout SeededGenerator
  ) throws(StorageError) {
    if Int.random(in: 0..<3, using: &random) == 0 {
      return try transfer(file, isTheft: isTheft, using: &random)
    }
    for _ in 0..<Int.random(in: 1...4, using: &random) { try change(file, using: &random) }
    if Int.random(in: 0..<80, using: &random) == 0 { try swell(file, using: &random) }
  }

  /// One change of a random kind to a random object.
  func change(_ file: StoreFile, using random: inout SeededGenerator) throws(StorageError) {
    switch Int.random(in: 0..<40, using: &random) {
    case 36..<39: try changeRemark(file, using: &random)
    case 32..<36: try changeNewer(file, using: &random)
    case 0, 39: try delete(file, using: &random)
    case 1: try changeTarget(file, using: &random)
    case 2..<7: try assign(file, using: &random)
    case 7..<10: try increment(file, using: &random)
    case 10..<14: try changeItems(file, using: &random)
    case 14..<16: try changeLinks(file, using: &random)
    case 16..<18: try changeSlot(file, using: &random)
    case 18..<20: try changeSpots(file, using: &random)
    case 20..<23: try changeSet(file, using: &random)
    case 23..<26: try changeMap(file, using: &random)
    default: try changeAny(file, using: &random)
    }
  }

  /// Adds to a counter; the object is made if it is not there.
  func increment(_ file: StoreFile, using random: inout SeededGenerator) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let amount = Int64.random(in: -5...5, using: &random)
    try file.increment(document.id, id: id, field("count"), by: amount)
  }

  // MARK: Objects

  func someDocument(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) -> RowID {
    let key = PersistedValue.int(Int64.random(in: Self.documents, using: &random))
    if let id = try file.find(document.id, key: key) { return id }
    let isAssigned = Bool.random(using: &random)
    let number = Int64.random(in: 0...9, using: &random)
    let fields = [
      NewField(property("count"), .scalar(.int(number)), isAssigned: isAssigned),
      NewField(property("rating"), .scalar(.null), isAssigned: false),
      NewField(property("ratio"), .scalar(.double(0.5)), isAssigned: false),
      NewField(property("title"), .scalar(.string("new")), isAssigned: Bool.random(using: &random)),
      NewField(property("items"), .list([.scalar(.int(number)), .scalar(.int(number))])),
      NewField(property("tags"), .set([.scalar(.int(number)), .scalar(.int(1))])),
      NewField(property("scores"), .map([NewEntry(key: "a", value: .scalar(.int(number)))])),
      NewField(property("any"), anyValue(using: &random), isAssigned: Bool.random(using: &random)),
    ]
    return try file.create(document.id, key: key, fields: fields)
  }

  private func delete(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let key = PersistedValue.int(Int64.random(in: Self.documents, using: &random))
    if let id = try file.find(document.id, key: key) { try file.delete(document.id, id: id) }
  }

  func someTarget(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) -> RowID {
    let name = Self.targets.randomElement(using: &random) ?? "T1"
    if let id = try file.find(target.id, key: .string(name)) { return id }
    return try file.create(target.id, key: .string(name), fields: [])
  }

  private func changeTarget(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someTarget(file, using: &random)
    if Bool.random(using: &random) { try file.delete(target.id, id: id) }
  }

  // MARK: Registers

  private func assign(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let number = Int64.random(in: 0...99, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try assign(file, id, "count", .scalar(.int(number)))
    case 1: try assign(file, id, "rating", .scalar(number < 30 ? .null : .int(number)))
    case 2: try assign(file, id, "ratio", .scalar(.double(number < 5 ? .nan : -Double(number))))
    case 3: try assign(file, id, "title", .scalar(.string("title \(number)")))
    case 4: try assign(file, id, "price", decimal(using: &random))
    default:
      let link = try number < 20 ? nil : someTarget(file, using: &random)
      try assign(
        file, id, "link", link.map { .link(target.id, $0) } ?? .scalar(.null))
    }
  }

  /// A title longer than a frame takes.
  private func swell(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let letter = Character(UnicodeScalar(UInt8.random(in: 0x61...0x7A, using: &random)))
    let count = Limits.batchBytes + Int.random(in: 1...Limits.batchBytes, using: &random)
    try assign(file, id, "title", .scalar(.string(String(repeating: letter, count: count))))
  }

  func assign(
    _ file: StoreFile, _ id: RowID, _ name: String, _ value: NewValue
  ) throws(StorageError) {
    try file.assign(document.id, id: id, field(name), value)
  }

  // MARK: Names

  func property(_ name: String, of owner: StoredClass? = nil) -> StoredProperty {
    guard let property = (owner ?? document).property(named: name) else {
      preconditionFailure("the workload's schema has no property \(name)")
    }
    return property
  }

  func field(_ name: String) -> FieldPath { FieldPath(property(name)) }

  func spotProperty(_ name: String) -> StoredProperty { property(name, of: spot) }
}
