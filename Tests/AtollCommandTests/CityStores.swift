import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit

extension StoreID {
  /// The store of which the replicas in these tests are.
  static let test = StoreID(high: 1, low: 2)
}

/// The stores that commands are tried on.
extension TemporaryFolder {
  /// Makes a store of one country and three cities, in two transactions, with a clock that may be ahead.
  @discardableResult
  func makeCities(at name: String, clockAhead milliseconds: Int64 = 0) throws -> StoreFile {
    let file = try StoreFile.open(
      path(name),
      options: StoreOptions(
        storeID: .test,
        wallClock: {
          WallTime(milliseconds: SystemClock.wallTime().milliseconds + milliseconds)
        }))
    let adopted = try file.adopt(TemporaryFolder.schema)
    let writer = CityWriter(file: file, classes: adopted)
    try file.beginWrite()
    let country = try writer.country("CH")
    try writer.city(
      "Bern", 134_000, 540, place: (46.9, 7.4), country: country, rivers: ["Aare"])
    _ = try file.commitWrite()
    try file.beginWrite()
    try writer.city(
      "Basel", 173_000, 260, place: (47.5, 7.6), country: country, rivers: ["Rhein", "Birs"])
    try writer.city("Atlantis", nil, nil, place: nil, country: nil, rivers: [])
    _ = try file.commitWrite()
    return file
  }

  /// Makes one country more, in a store that a daemon may serve.
  func makeCountry(_ code: String, at path: String) throws {
    let file = try StoreFile.open(path, options: StoreOptions(storeID: .test))
    defer { file.close() }
    let writer = CityWriter(file: file, classes: try file.adopt(TemporaryFolder.schema))
    try file.beginWrite()
    _ = try writer.country(code)
    _ = try file.commitWrite()
  }

  /// Assigns a city's number of inhabitants; says who did.
  func setInhabitants(_ number: Int64, of name: String, at path: String) throws -> Author {
    let file = try StoreFile.open(path)
    defer { file.close() }
    let classes = try file.classes
    guard let city = classes.first(where: { $0.name == "City" }),
      let property = city.property(named: "inhabitants"),
      let row = try file.find(city.id, key: .string(name))
    else { throw StorageError.noSuchProperty(class: "City", property: name) }
    try file.beginWrite()
    try file.assign(city.id, id: row, FieldPath(property), .scalar(.int(number)))
    _ = try file.commitWrite()
    return file.author
  }

  /// Applies everything of one store to another, which is made.
  func copyLog(from source: String, to destination: String) throws {
    let from = try StoreFile.open(path(source))
    let to = try StoreFile.open(
      path(destination), options: StoreOptions(storeID: .test))
    let batch = try from.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: Limits.batchBytes)
    _ = try to.apply(
      batch.entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      })
  }

  /// Modifies a store externally, by SQL.
  func modifyExternally(_ sql: String, at name: String) throws {
    let connection = try Connection(path: path(name), access: .readWrite)
    try connection.execute(sql)
  }

  private static let schema = [
    ClassSchema(
      name: "Country", primaryKey: "code",
      properties: [PropertySchema(name: "code", type: .string)]),
    ClassSchema(
      name: "Place", isEmbedded: true,
      properties: [
        PropertySchema(name: "latitude", type: .double),
        PropertySchema(name: "longitude", type: .double),
      ]),
    ClassSchema(
      name: "City", primaryKey: "name",
      properties: [
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "inhabitants", type: .int, isOptional: true),
        PropertySchema(name: "height", type: .double, isOptional: true),
        PropertySchema(name: "place", type: .embedded, isOptional: true, target: "Place"),
        PropertySchema(name: "country", type: .link, isOptional: true, target: "Country"),
        PropertySchema(name: "rivers", type: .string, collection: .list),
      ]),
  ]
}

/// Creates the objects of ``TestKit/TemporaryFolder/makeCities(at:clockAhead:)``.
private struct CityWriter {
  let file: StoreFile
  let classes: [StoredClass]

  func country(_ code: String) throws -> RowID {
    try file.create(try stored("Country").id, key: .string(code), fields: [])
  }

  func city(
    _ name: String, _ inhabitants: Int64?, _ height: Double?,
    place: (latitude: Double, longitude: Double)?, country: RowID?, rivers: [String]
  ) throws {
    let city = try stored("City")
    let country = try country.map { NewValue.link(try stored("Country").id, $0) }
    _ = try file.create(
      city.id, key: .string(name),
      fields: [
        try field(city, "inhabitants", .scalar(inhabitants.map { .int($0) } ?? .null)),
        try field(city, "height", .scalar(height.map { .double($0) } ?? .null)),
        try field(city, "place", try place.map(embedded) ?? .scalar(.null)),
        try field(city, "country", country ?? .scalar(.null)),
        try field(city, "rivers", .list(rivers.map { .scalar(.string($0)) })),
      ])
  }

  private func embedded(_ place: (latitude: Double, longitude: Double)) throws -> NewValue {
    let stored = try stored("Place")
    return .embedded([
      try field(stored, "latitude", .scalar(.double(place.latitude))),
      try field(stored, "longitude", .scalar(.double(place.longitude))),
    ])
  }

  private func field(
    _ owner: StoredClass, _ name: String, _ value: NewValue
  ) throws -> NewField {
    guard let property = owner.property(named: name) else {
      throw StorageError.noSuchProperty(class: owner.name, property: name)
    }
    return NewField(property, value)
  }

  private func stored(_ name: String) throws -> StoredClass {
    guard let found = classes.first(where: { $0.name == name }) else {
      throw StorageError.noSuchProperty(class: name, property: "")
    }
    return found
  }
}
