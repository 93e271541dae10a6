import AtollVocabulary

/// The model of the scenarios: a document with a cell of every kind, and what it links and embeds.
enum Model {
  static let schema = [
    ClassSchema(
      name: "Document", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "n", type: .int),
        PropertySchema(name: "m", type: .int),
        PropertySchema(name: "nn", type: .int, isOptional: true),
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "token", type: .uuid),
        PropertySchema(name: "items", type: .int, collection: .list),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Target"),
        PropertySchema(name: "links", type: .link, collection: .list, target: "Target"),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Pair"),
        PropertySchema(name: "es", type: .embedded, collection: .list, target: "Item"),
        PropertySchema(name: "tags", type: .int, collection: .set),
        PropertySchema(name: "friends", type: .link, collection: .set, target: "Target"),
        PropertySchema(name: "dict", type: .int, collection: .map),
        PropertySchema(name: "em", type: .embedded, collection: .map, target: "Pair"),
        PropertySchema(name: "lm", type: .link, collection: .map, target: "Target"),
        PropertySchema(name: "any", type: .any),
        PropertySchema(name: "anys", type: .any, collection: .list),
        PropertySchema(name: "anyDict", type: .any, collection: .map),
        PropertySchema(name: "anySet", type: .any, collection: .set),
        PropertySchema(name: "price", type: .decimal, isOptional: true),
        PropertySchema(name: "prices", type: .decimal, collection: .set),
      ]),
    ClassSchema(
      name: "Target", primaryKey: "id", properties: [PropertySchema(name: "id", type: .int)]),
    ClassSchema(
      name: "Pair", isEmbedded: true,
      properties: [
        PropertySchema(name: "v", type: .int), PropertySchema(name: "w", type: .int),
      ]),
    ClassSchema(
      name: "Item", isEmbedded: true,
      properties: [
        PropertySchema(name: "v", type: .int),
        PropertySchema(name: "inner", type: .int, collection: .list),
      ]),
  ]

  /// The model of a build of an earlier release: one collection, no links, half a pair.
  static let older = [
    ClassSchema(
      name: "Document", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "n", type: .int),
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "items", type: .int, collection: .list),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Pair"),
      ]),
    ClassSchema(
      name: "Pair", isEmbedded: true, properties: [PropertySchema(name: "v", type: .int)]),
  ]

  /// Targets 1, 2 and 3, and document 1 with its contents.
  static func fill(_ transaction: Transaction) throws {
    for id in 1...3 { try transaction.create("Target", id) }
    let document = try transaction.create(
      "Document", 1,
      [
        "n": 0, "m": 0, "nn": 0, "name": "", "link": .target(1), "one": ["v": 9, "w": 0],
      ])
    for item in 0...3 { try document.list("items").append(.int(item)) }
    for target in 1...2 { try document.list("links").append(.target(target)) }
    for value in 0...2 { try document.list("es").append(["v": .int(value)]) }
    try document.members("tags").insert(1)
    try document.map("dict").set("a", 1)
    try document.map("em").set("a", ["v": 9, "w": 0])
  }
}
