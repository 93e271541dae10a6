import Atoll
import Foundation
import StoreTestKit
import TestKit
import Testing

/// Random schemas, data and queries: type-safe, textual and plain evaluation agree.
///
/// `ATOLL_QUERIES` says how many queries there are; `make thorough` asks 20,000.
@Suite struct QueryTests {
  private static let queriesInAStore = 50
  private static var queries: Int {
    ProcessInfo.processInfo.environment["ATOLL_QUERIES"].flatMap { Int($0) } ?? 2000
  }

  @Test func `thousands of random queries find the same in three ways`() throws {
    let seed = SeededRandom.announced("queries").seed
    let place = TemporaryStore(Wide.types)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open()
    let all = Columns.all
    var failures = 0
    for round in 0..<(Self.queries + Self.queriesInAStore - 1) / Self.queriesInAStore {
      var random = SeededRandom(seed: seed &+ UInt64(round))
      // The schema of the round: some properties, which conditions share.
      let drawn = all.shuffled(using: &random).prefix(4 + random.below(8))
      // Conditions on links speak of these too.
      let needed = drawn.contains { $0.name.isEmpty } ? Columns.ofObjects : []
      let properties = all.filter { property in
        needed.contains(property.name) || drawn.contains { $0.name == property.name }
      }
      let world = World(properties, &random)
      try world.fill(store)
      let ways = Way.allCases.shuffled(using: &random).prefix(3 + random.below(8))
      let drawing = Drawing(properties: properties, ways: Array(ways))
      for number in 0..<Self.queriesInAStore {
        let condition = drawing.condition(depth: 3, &random)
        let arrangement = drawing.arrangement(&random)
        let trial = Trial(
          condition: condition, arrangement: arrangement, world: world, store: store)
        guard let words = trial.failure() else { continue }
        Issue.record("ATOLL_SEED=\(seed &+ UInt64(round)), query \(number): \(words)")
        failures += 1
        if failures == 20 { return }
      }
    }
  }
}

/// One query, asked in three ways.
private struct Trial {
  var condition: Condition
  var arrangement: Arrangement
  let world: World
  let store: Store

  /// Returns the disagreement of the smallest query that still disagrees; nil if all agree.
  func failure() -> String? {
    guard disagreement() != nil else { return nil }
    var smallest = self
    while let next = smallest.smaller.first(where: { $0.disagreement() != nil }) { smallest = next }
    return smallest.disagreement()
  }

  private var smaller: [Trial] {
    var trials: [Trial] = []
    for change in [\Arrangement.order, \.distinct, \.limit] as [PartialKeyPath<Arrangement>] {
      var trial = self
      switch change {
      case \Arrangement.order where !arrangement.order.isEmpty: trial.arrangement.order.removeLast()
      case \Arrangement.distinct where arrangement.distinct != nil: trial.arrangement.distinct = nil
      case \Arrangement.limit where arrangement.limit != nil: trial.arrangement.limit = nil
      default: continue
      }
      trials.append(trial)
    }
    return trials
      + condition.smaller.map {
        Trial(condition: $0, arrangement: arrangement, world: world, store: store)
      }
  }

  private func disagreement() -> String? {
    let found = world.objects.filter { condition.holds($0, in: world) }
    let expected = arrangement.applied(to: found, in: world).map(\.id)
    var arguments: [Any?] = []
    let text = condition.text(&arguments) + arrangement.text
    let all = store.objects(Wide.self)
    let query = arranged(all.where(condition.query))
    var words: [String] = []
    if query.map(\.id) != expected { words.append("type-safe \(query.map(\.id))") }
    if query.count != expected.count { words.append("its count \(query.count)") }
    if query.first?.id != expected.first { words.append("its first \(query.first?.id ?? -1)") }
    do {
      let filter = try all.filter(parsing: text, all: arguments)
      if filter.map(\.id) != expected { words.append("text \(filter.map(\.id))") }
    } catch {
      words.append("text \(error)")
    }
    words += printedAgain(expected, all)
    if words.isEmpty { return nil }
    let rows = world.objects.map { "  \($0)" }.joined(separator: "\n")
    return "\(text) with \(arguments): expected \(expected), \(words.joined(separator: ", "))\n"
      + "\(query.explain())\n\(rows.prefix(4000))"
  }

  /// The text that the type-safe query prints, read again.
  private func printedAgain(_ expected: [Int], _ all: Results<Wide>) -> [String] {
    var printed = ("", [Any]())
    _ = all.where { query in
      let condition = condition.query(query)
      printed = condition._constructPredicate()
      return condition
    }
    do {
      let again = arranged(try all.filter(parsing: printed.0, all: printed.1))
      return again.map(\.id) == expected ? [] : ["printed as \(printed): \(again.map(\.id))"]
    } catch {
      return ["printed as \(printed): \(error)"]
    }
  }

  private func arranged(_ results: Results<Wide>) -> Results<Wide> {
    var results = results
    if !arrangement.order.isEmpty {
      results = results.sorted(
        by: arrangement.order.map { SortDescriptor(keyPath: $0.path, ascending: $0.isAscending) })
    }
    if let distinct = arrangement.distinct { results = results.distinct(by: [distinct.path]) }
    if let limit = arrangement.limit { results = results.prefix(limit) }
    return results
  }
}
