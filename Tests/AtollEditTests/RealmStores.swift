import AtollEdit
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// A store with the classes that the files of `RealmImportTests` are about, in a temporary folder.
struct RealmStores {
  private let folder = TemporaryFolder()

  static let classes = [
    ClassSchema(
      name: "Person", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .objectId),
        PropertySchema(name: "name", type: .string, isOptional: true),
        PropertySchema(name: "age", type: .int, isOptional: true),
        PropertySchema(name: "height", type: .double, isOptional: true),
        PropertySchema(name: "weight", type: .float, isOptional: true),
        PropertySchema(name: "isHere", type: .bool, isOptional: true),
        PropertySchema(name: "born", type: .date, isOptional: true),
        PropertySchema(name: "money", type: .decimal, isOptional: true),
        PropertySchema(name: "badge", type: .uuid, isOptional: true),
        PropertySchema(name: "ref", type: .objectId, isOptional: true),
        PropertySchema(name: "photo", type: .data, isOptional: true),
        PropertySchema(name: "extra", type: .any, isOptional: true),
        PropertySchema(name: "home", type: .embedded, isOptional: true, target: "Place"),
        PropertySchema(name: "places", type: .embedded, collection: .list, target: "Place"),
        PropertySchema(name: "dog", type: .link, isOptional: true, target: "Dog"),
        PropertySchema(name: "dogs", type: .link, collection: .list, target: "Dog"),
        PropertySchema(name: "friends", type: .link, collection: .set, target: "Person"),
        PropertySchema(
          name: "byName", type: .link, collection: .map, isOptional: true, target: "Dog"),
        PropertySchema(name: "notes", type: .link, collection: .list, target: "Note"),
        PropertySchema(name: "words", type: .string, collection: .list, isOptional: true),
        PropertySchema(name: "numbers", type: .int, collection: .set),
        PropertySchema(name: "scores", type: .double, collection: .map, isOptional: true),
      ]),
    ClassSchema(
      name: "Dog", primaryKey: "name",
      properties: [
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "owner", type: .link, isOptional: true, target: "Person"),
        PropertySchema(name: "friend", type: .link, isOptional: true, target: "Dog"),
      ]),
    ClassSchema(
      name: "Place", isEmbedded: true,
      properties: [
        PropertySchema(name: "street", type: .string, isOptional: true),
        PropertySchema(name: "since", type: .date, isOptional: true),
        PropertySchema(name: "dog", type: .link, isOptional: true, target: "Dog"),
        PropertySchema(name: "inner", type: .embedded, isOptional: true, target: "Place"),
      ]),
    ClassSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "text", type: .string, isOptional: true),
        PropertySchema(name: "next", type: .link, isOptional: true, target: "Note"),
      ]),
  ]

  /// Imports files, in their order, into the store, which is made if it is not there.
  @discardableResult
  func take(
    _ texts: String..., named className: String = "Person", isDry: Bool = false,
    classes: [ClassSchema] = classes
  ) throws -> ImportResult {
    try take(texts.map { Data($0.utf8) }, named: className, isDry: isDry, classes: classes)
  }

  func take(
    _ files: [Data], named className: String = "Person", isDry: Bool = false,
    classes: [ClassSchema] = classes
  ) throws -> ImportResult {
    let store = try StoreFile.open(folder.path("a.atoll"), options: StoreOptions())
    defer { store.close() }
    _ = try store.adopt(classes)
    var run = try ImportRun(into: store, isDry: isDry)
    for file in files {
      try file.write(to: URL(fileURLWithPath: folder.path("file.json")))
      let source = try #require(FileHandle(forReadingAtPath: folder.path("file.json")))
      try run.realm(RealmReader(source, className: className))
    }
    return try run.finish()
  }

  /// The objects as `atoll export` writes them.
  func lines() throws -> [String] {
    let store = try StoreFile.open(folder.path("a.atoll"), options: StoreOptions())
    defer { store.close() }
    var lines: [String] = []
    try store.export { lines.append(String($0.dropLast())) }
    return lines
  }

  /// A member of the only object that has this name, as JSON.
  func value(_ member: String, ofName name: String = "John") throws -> String? {
    let found = try lines().map { try JSONValue($0.utf8) }.first { $0["name"] == .string(name) }
    return found?[member]?.text
  }
}
