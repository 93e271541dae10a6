import AtollChanges
import AtollEdit
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Stores of cities with a property of every kind that is edited, in a temporary folder.
struct EditedStores {
  private static let storeID = StoreID(high: 1, low: 2)
  private let folder = TemporaryFolder()

  static let classes = [
    ClassSchema(
      name: "City", primaryKey: "name",
      properties: [
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "inhabitants", type: .int, isOptional: true),
        PropertySchema(name: "area", type: .decimal, isOptional: true),
        PropertySchema(name: "founded", type: .date, isOptional: true),
        PropertySchema(name: "extra", type: .any, isOptional: true),
        PropertySchema(name: "place", type: .embedded, isOptional: true, target: "Place"),
        PropertySchema(name: "twin", type: .link, isOptional: true, target: "City"),
        PropertySchema(name: "note", type: .link, isOptional: true, target: "Note"),
        PropertySchema(name: "rivers", type: .string, collection: .list),
        PropertySchema(name: "places", type: .embedded, collection: .list, target: "Place"),
        PropertySchema(name: "tags", type: .string, collection: .set),
        PropertySchema(name: "names", type: .string, collection: .map, isOptional: true),
      ]),
    ClassSchema(
      name: "Place", isEmbedded: true,
      properties: [
        PropertySchema(name: "latitude", type: .double, isOptional: true),
        PropertySchema(name: "words", type: .string, collection: .list),
      ]),
    ClassSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "text", type: .string, isOptional: true),
        PropertySchema(name: "next", type: .link, isOptional: true, target: "Note"),
      ]),
  ]

  func path(_ name: String) -> String { folder.path(name) }

  /// Makes a store that has the classes, and a city with something in each property.
  func make(_ name: String = "a", with lines: [String] = [bern]) throws {
    let file = try StoreFile.open(path(name), options: StoreOptions(storeID: Self.storeID))
    defer { file.close() }
    _ = try file.adopt(Self.classes)
    guard !lines.isEmpty else { return }
    let editor = try StoreEditor(path: path(name))
    defer { editor.close() }
    _ = try editor.write(
      try StoreEdit.edits(in: "{\"edits\":[\(lines.joined(separator: ","))]}".utf8))
  }

  static let bern = """
    {"kind":"create","class":"City","key":"Bern","values":{"inhabitants":134000,"area":"51.620",
    "extra":{"float":"0.5"},"place":{"latitude":46.9},"rivers":["Aare","Gürbe","Sense"],
    "places":[{"latitude":1.5},{"latitude":2.5,"words":["a","b"]}],"tags":["old","high"],
    "names":{"fr":"Berne","it":null}}}
    """

  func editor(_ name: String = "a") throws -> StoreEditor {
    try StoreEditor(path: path(name))
  }

  /// Lends the file as another process would open it, for reading and writing.
  func file<Result>(
    _ name: String = "a", _ body: (StoreFile) throws -> Result
  ) throws -> Result {
    let file = try StoreFile.open(path(name), options: StoreOptions(mayCreate: false))
    defer { file.close() }
    return try body(file)
  }

  /// The objects as `atoll export` writes them.
  func lines(_ name: String = "a") throws -> [String] {
    try file(name) { file in
      var lines: [String] = []
      try file.export { lines.append(String($0.dropLast())) }
      return lines
    }
  }

  /// The text of a member of the only city, or of the one with this key.
  func value(
    _ member: String, _ key: String = "Bern", in name: String = "a"
  ) throws -> String? {
    let values = try lines(name).map { try JSONValue($0.utf8) }
    return values.first { $0["key"] == .string(key) }?[member]?.text
  }

  /// Applies in one store all that another has.
  func exchange(from source: String, to destination: String) throws {
    try file(source) { source in
      try file(destination) { destination in
        let batch = try source.entries(
          lackedBy: VersionVector(), after: .start, limitBytes: Limits.batchBytes)
        _ = try destination.apply(
          batch.entries.map {
            IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
          })
      }
    }
  }
}

/// Edits of Bern, as JSON with the members that all have in common.
func edits(_ texts: String...) throws -> [StoreEdit] {
  let whole = texts.map { #"{"class":"City","key":"Bern","# + $0 + "}" }
  return try StoreEdit.edits(in: "{\"edits\":[\(whole.joined(separator: ","))]}".utf8)
}
