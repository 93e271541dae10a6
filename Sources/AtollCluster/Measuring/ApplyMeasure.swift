import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

/// Records changesets in one store and times another one applying them.
struct ApplyMeasure {
  let folder: URL
  let changesets: Int
  let creates: Int
  /// True if the store has an owner, who has admitted the author.
  var hasOwners = false

  /// The benchmarks' club: a key, two strings, two coordinates, a count.
  private static let club = ClassSchema(
    name: "Club", primaryKey: "pk",
    properties: [
      PropertySchema(name: "pk", type: .int),
      PropertySchema(name: "name", type: .string, isIndexed: true),
      PropertySchema(name: "url", type: .string),
      PropertySchema(name: "latitude", type: .double),
      PropertySchema(name: "longitude", type: .double),
      PropertySchema(name: "count", type: .int),
    ])

  func run() throws -> Duration {
    let recorded = try record()
    let path = folder.appendingPathComponent("target.atoll").path
    let target = try StoreFile.open(path, options: StoreOptions(storeID: recorded.storeID))
    defer { target.close() }
    _ = try target.adopt([Self.club])
    _ = try target.apply(recorded.admission)
    var outcomes: [ApplyOutcome] = []
    let time = try ContinuousClock().measure { outcomes = try target.apply(recorded.changesets) }
    let applied = outcomes.count { if case .applied = $0 { true } else { false } }
    guard applied == changesets else {
      throw ClusterError.different(
        reason: "\(applied) of \(changesets) recorded changesets were applied")
    }
    return time
  }

  /// The author's changesets, and those that an owner wrote before.
  struct Recorded {
    let storeID: StoreID
    let admission: [IncomingChangeset]
    let changesets: [IncomingChangeset]
  }

  func record() throws -> Recorded {
    let founder = try StoreFile.open(
      folder.appendingPathComponent("founder.atoll").path,
      options: StoreOptions(isOwned: hasOwners))
    defer { founder.close() }
    let source = try StoreFile.open(
      folder.appendingPathComponent("source.atoll").path,
      options: StoreOptions(storeID: founder.storeID))
    defer { source.close() }
    if hasOwners { try founder.admit(source.author.replica, as: .writer) }
    for club in try source.adopt([Self.club]) {
      for changeset in 0..<changesets {
        try source.beginWrite()
        for number in 0..<creates { try create(changeset * creates + number, club, source) }
        _ = try source.commitWrite()
      }
    }
    return Recorded(
      storeID: founder.storeID, admission: try log(of: founder), changesets: try log(of: source))
  }

  private func log(of file: StoreFile) throws -> [IncomingChangeset] {
    try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: Limits.changesetBytes)
      .entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      }
  }

  private func create(_ number: Int, _ club: StoredClass, _ source: StoreFile) throws {
    let key = PersistedValue.int(Int64(number))
    let values: [String: PersistedValue] = [
      "name": .string("Club \(number &* 7919 % 100_003)"),
      "url": .string("https://club-\(number).example/index.html"),
      "latitude": .double(Double(number % 180) - 89.875),
      "longitude": .double(Double(number % 360) - 179.875), "count": .int(Int64(number % 1000)),
    ]
    let fields = club.properties.compactMap { property in
      values[property.name].map { NewField(property, .scalar($0)) }
    }
    _ = try source.create(club.id, key: key, fields: fields)
  }
}
