import AtollInspect
import Foundation

/// The readable resources of a store, by the last part of their address.
enum ReadResource: String, CaseIterable {
  case status, schema, objects, count, object, why, conflicts, log, changeset, replication, query
  case health, export, events

  /// The most that one answer has.
  private static let rowLimit = 1000

  /// - Throws: `Refusal` for a parameter, and what the store throws.
  func answer(of store: StudioStore, _ given: Parameters) async throws -> StudioResponse {
    switch self {
    case .status: return try .json(await store.ask { try $0.status($0.service) })
    case .schema: return try .json(await store.ask { try $0.schemaOverview() })
    case .objects: return try await Self.objects(of: store, given)
    case .count: return try await Self.count(of: store, given)
    case .object: return try await Self.object(of: store, given)
    case .why:
      let (name, key) = (try given.needed("class"), try given.needed("key"))
      let property = try given.needed("property")
      return try .json(
        await store.ask(.work) { try $0.why(name, key: key, property: property) })
    case .conflicts: return try await Self.conflicts(of: store, given)
    case .log:
      let before = try given.number("before", in: 0...Int.max).map(Int64.init)
      let author = try given.text("author", upTo: 200)
      let count = try Self.rows(given)
      return try .json(
        await store.ask { try $0.logBackwards(before: before, author: author, count: count) })
    case .changeset:
      guard let position = try given.number("position", in: 0...Int.max) else {
        throw Refusal("The parameter `position` is missing.")
      }
      let found = try await store.ask {
        try $0.changeset(at: Int64(position), limit: Self.rowLimit)
      }
      guard let found else {
        return .refusal(
          .notFound, Refusal("The log has no changeset at position \(position) any more."))
      }
      return try .json(found)
    case .replication: return try .json(await store.ask { try $0.replication() })
    case .query:
      let (name, condition) = (try given.needed("class"), try Self.condition(given))
      return try .json(
        await store.ask(.work) { store in
          try store.atOneMoment { try store.objects(of: name, where: condition).report() }
        })
    case .health: return try .json(await store.ask(.work) { try $0.health() })
    case .export: return try await ExportFormat.answer(of: store, given)
    case .events:
      guard let events = store.feed.listen() else { throw StudioStore.Busy() }
      return StudioResponse(.ok, "text/event-stream", .stream(events))
    }
  }

  private static func condition(_ given: Parameters) throws(Refusal) -> String? {
    guard let text = try given.text("where", upTo: 5000), !text.allSatisfy(\.isWhitespace)
    else { return nil }
    return text
  }

  private static func rows(_ given: Parameters) throws(Refusal) -> Int {
    try given.number("count", in: 0...rowLimit) ?? 100
  }

  private static func objects(
    of store: StudioStore, _ given: Parameters
  ) async throws -> StudioResponse {
    let (name, condition) = (try given.needed("class"), try condition(given))
    let start = try given.number("from", in: 0...Int(Int32.max)) ?? 0
    let (count, order) = (try rows(given), try given.text("sort", upTo: 500))
    let isDescending = try given.flag("descending")
    return try .json(
      await store.ask { store in
        try store.atOneMoment {
          try store.objects(
            of: name, where: condition, sortedBy: order, isDescending: isDescending
          ).page(from: start, count: count)
        }
      })
  }

  private struct Count: Encodable {
    let count: Int
    let milliseconds: Double
  }

  private static func count(
    of store: StudioStore, _ given: Parameters
  ) async throws -> StudioResponse {
    let (name, condition) = (try given.needed("class"), try condition(given))
    return try .json(
      await store.ask { store in
        var count = 0
        let time = try ContinuousClock().measure {
          count = try store.atOneMoment {
            try store.objects(of: name, where: condition).count()
          }
        }
        return Count(count: count, milliseconds: time / .milliseconds(1))
      })
  }

  private static func object(
    of store: StudioStore, _ given: Parameters
  ) async throws -> StudioResponse {
    let (name, key) = (try given.needed("class"), try given.needed("key"))
    let found = try await store.ask { try $0.object(of: name, key: key) }
    guard let found else {
      return .refusal(.notFound, Refusal("There is no object \(name) \(key.prefix(100))."))
    }
    // The object is JSON already, with digits that a number of JavaScript has no room for.
    let encoder = JSONEncoder()
    var body = Data("{\"class\":".utf8) + (try encoder.encode(found.class))
    body += Data(",\"key\":".utf8) + (try encoder.encode(found.key))
    body += Data(",\"object\":".utf8) + Data(found.line.utf8)
    body += Data(",\"backlinks\":".utf8) + (try encoder.encode(found.backlinks))
    return StudioResponse(.ok, "application/json", .bytes(body + Data("}".utf8)))
  }

  private struct Conflicts: Encodable {
    let rows: [Entry]
    let isCut: Bool
  }

  /// An entry of the ledger with its rule in words.
  private struct Entry: Encodable {
    enum Key: String, CodingKey { case reason }

    let row: ConflictRow

    func encode(to encoder: any Encoder) throws {
      try row.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(row.reason, forKey: .reason)
    }
  }

  private static func conflicts(
    of store: StudioStore, _ given: Parameters
  ) async throws -> StudioResponse {
    let (name, key) = (try given.text("class"), try given.text("key"))
    let rows = try await store.ask(.work) { try $0.conflicts(of: name, key: key) }
    return try .json(
      Conflicts(
        rows: rows.reversed().prefix(rowLimit).map { Entry(row: $0) }, isCut: rows.count > rowLimit)
    )
  }
}
