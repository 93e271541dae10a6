import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollStudio

/// A store of airports in a temporary folder, and what the studio answers about it.
struct StudioStores {
  private let folder = TemporaryFolder()
  let file: StoreFile
  private let airport: StoredClass

  var path: String { folder.path("airports.atoll") }

  init() throws {
    file = try StoreFile.open(
      folder.path("airports.atoll"), options: StoreOptions(storeID: StoreID(high: 1, low: 2)))
    let classes = try file.adopt([
      ClassSchema(
        name: "Airport", primaryKey: "icao",
        properties: [
          PropertySchema(name: "icao", type: .string),
          PropertySchema(name: "name", type: .string),
          PropertySchema(name: "landings", type: .int),
          PropertySchema(name: "country", type: .link, isOptional: true, target: "Country"),
          PropertySchema(name: "near", type: .link, collection: .list, target: "Airport"),
          PropertySchema(name: "partners", type: .link, collection: .set, target: "Airport"),
          PropertySchema(
            name: "gates", type: .link, collection: .map, isOptional: true, target: "Airport"),
        ]),
      ClassSchema(
        name: "Country", primaryKey: "code",
        properties: [PropertySchema(name: "code", type: .string)]),
    ])
    airport = try #require(classes.first { $0.name == "Airport" })
    let country = try #require(classes.first { $0.name == "Country" })
    try file.beginWrite()
    let row = try file.create(country.id, key: .string("CH"), fields: [])
    let link = try property("country")
    for (icao, name, landings) in [("LSZH", "Kloten", 700), ("LSGG", "Cointrin", 400)] {
      _ = try file.create(
        airport.id, key: .string(icao),
        fields: [
          NewField(try property("name"), .scalar(.string(name))),
          NewField(try property("landings"), .scalar(.int(Int64(landings)))),
          NewField(link, .link(country.id, row)),
        ])
    }
    try file.commitWrite()
  }

  /// Makes that many airports more.
  func add(_ count: Int) throws {
    try file.beginWrite()
    for number in 0..<count {
      _ = try file.create(
        airport.id, key: .string("X\(number)"),
        fields: [NewField(try property("name"), .scalar(.string("\(number * 7919 % 5003)")))])
    }
    try file.commitWrite()
  }

  /// Has one airport name another in a list, a set and a map.
  func link(_ icao: String, to other: String) throws {
    let row = try #require(try file.find(airport.id, key: .string(icao)))
    let target = try #require(try file.find(airport.id, key: .string(other)))
    let value = NewValue.link(airport.id, target)
    try file.beginWrite()
    for (name, given) in [
      ("near", NewValue.list([value, value])), ("partners", .set([value])),
      ("gates", .map([NewEntry(key: "A", value: value)])),
    ] { try file.assign(airport.id, id: row, FieldPath(try property(name)), given) }
    try file.commitWrite()
  }

  func rename(_ icao: String, _ name: String) throws {
    let row = try #require(try file.find(airport.id, key: .string(icao)))
    try file.beginWrite()
    try file.assign(
      airport.id, id: row, FieldPath(try property("name")), .scalar(.string(name)))
    try file.commitWrite()
  }

  private func property(_ name: String) throws -> StoredProperty {
    try #require(airport.property(named: name))
  }
}

/// The contents of a response, as JSON.
struct Answer {
  let status: Int
  let json: [String: Any]

  init(_ response: StudioResponse) throws {
    status = response.status.rawValue
    guard case .bytes(let data) = response.body else { throw NoBytes() }
    json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  struct NoBytes: Error {}

  /// The message of a refusal; empty for an answer.
  var message: String { (json["error"] as? [String: Any])?["message"] as? String ?? "" }
}
