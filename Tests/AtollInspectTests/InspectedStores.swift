import AtollChanges
import AtollInspect
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Stores of cities in a temporary folder, and what is seen in them.
struct InspectedStores {
  static let storeID = StoreID(high: 1, low: 2)
  private let folder = TemporaryFolder()

  func path(_ name: String) -> String { folder.file(name).path }

  /// Opens a store that may be new, with the classes declared.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - ahead: Milliseconds by which its clock is ahead of the system's, which tells whose writes are later.
  /// - Returns: The store.
  /// - Throws: If it cannot be opened.
  func store(_ name: String, ahead: Int64 = 0) throws -> CityStore {
    var options = StoreOptions(storeID: Self.storeID)
    options.wallClock = { WallTime(milliseconds: SystemClock.wallTime().milliseconds + ahead) }
    return try CityStore(StoreFile.open(path(name), options: options))
  }

  /// Lends an inspection of a store, and closes it.
  func inspect<Result>(_ name: String, _ body: (Inspection) throws -> Result) throws -> Result {
    let inspection = try Inspection(path: path(name))
    defer { inspection.close() }
    return try body(inspection)
  }
}

/// One open store of cities, and writes to it.
struct CityStore {
  let file: StoreFile
  private let city: StoredClass
  private let place: StoredClass

  init(_ file: StoreFile) throws {
    self.file = file
    let classes = try file.adopt([
      ClassSchema(
        name: "City", primaryKey: "name",
        properties: [
          PropertySchema(name: "name", type: .string),
          PropertySchema(name: "inhabitants", type: .int, isOptional: true),
          PropertySchema(name: "place", type: .embedded, isOptional: true, target: "Place"),
          PropertySchema(name: "rivers", type: .string, collection: .list),
        ]),
      ClassSchema(
        name: "Place", isEmbedded: true,
        properties: [PropertySchema(name: "latitude", type: .double)]),
    ])
    city = try #require(classes.first { $0.name == "City" })
    place = try #require(classes.first { $0.name == "Place" })
  }

  /// Makes a city in a transaction of its own.
  func make(
    _ name: String, _ inhabitants: Int64?, latitude: Double? = nil, rivers: [String] = []
  ) throws {
    let inner = try #require(place.property(named: "latitude"))
    let embedded = latitude.map { NewValue.embedded([NewField(inner, .scalar(.double($0)))]) }
    try file.beginWrite()
    _ = try file.create(
      city.id, key: .string(name),
      fields: [
        NewField(
          try property("inhabitants"), .scalar(inhabitants.map { .int($0) } ?? .null)),
        NewField(try property("place"), embedded ?? .scalar(.null)),
        NewField(try property("rivers"), .list(rivers.map { .scalar(.string($0)) })),
      ])
    _ = try file.commitWrite()
  }

  /// Assigns the number of inhabitants in a transaction of its own.
  func assign(_ name: String, _ inhabitants: Int64) throws {
    let row = try #require(try file.find(city.id, key: .string(name)))
    try file.beginWrite()
    try file.assign(
      city.id, id: row, FieldPath(try property("inhabitants")), .scalar(.int(inhabitants)))
    _ = try file.commitWrite()
  }

  /// Applies everything that another store has.
  func take(from other: CityStore) throws {
    let batch = try other.file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: Limits.batchBytes)
    _ = try file.apply(
      batch.entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      })
  }

  private func property(_ name: String) throws -> StoredProperty {
    try #require(city.property(named: name))
  }
}

/// The value as JSON with sorted keys, which reads back as an equal value.
func json<Value: Codable & Equatable>(_ value: Value) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  let data = try encoder.encode(value)
  #expect(try JSONDecoder().decode(Value.self, from: data) == value)
  return String(decoding: data, as: UTF8.self)
}
