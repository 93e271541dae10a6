import Atoll
import AtollVocabulary
import Foundation
import Testing

/// Random data and random conditions: type-safe, textual and plain evaluation agree.
@Suite struct QueryDifferentialTests {
  private static let stores = 20
  private static let conditions = 100

  @Test func `two thousand random conditions find the same in three ways`() throws {
    let seed =
      ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0..<1 << 32)
    let folder = try TemporaryStore(QueryFixture.types)
    let store = try folder.open()
    for round in 0..<Self.stores {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      let shelves = try RandomShelves(&random).fill(store)
      for number in 0..<Self.conditions {
        let condition = RandomConditions.condition(depth: 2, &random)
        let place = "ATOLL_SEED=\(seed), store \(round), condition \(number)"
        try check(condition, shelves, store, place)
      }
    }
  }

  private func check(
    _ condition: Condition, _ shelves: [PlainShelf], _ store: Store, _ place: String
  ) throws {
    func agrees(_ condition: Condition) throws -> (Bool, String) {
      var arguments: [Any?] = []
      let text = condition.text(&arguments)
      let expected = shelves.filter(condition.holds).map(\.id)
      let all = store.objects(Shelf.self)
      let query = all.where(condition.query).map(\.id)
      let filter = try all.filter(parsing: text, all: arguments).map(\.id)
      let words =
        "\(text) with \(arguments): expected \(expected), query \(query), text \(filter)"
      return (query == expected && filter == expected, words)
    }
    guard try !agrees(condition).0 else { return }
    // The smallest part that disagrees by itself.
    var smallest = condition
    while let part = try smallest.parts.first(where: { try !agrees($0).0 }) { smallest = part }
    Issue.record("\(place): \(try agrees(smallest).1)")
  }
}

extension Condition {
  var parts: [Condition] {
    switch self {
    case .and(let parts), .or(let parts): parts
    case .not(let part): [part]
    default: []
    }
  }
}

/// Shelves with few different values, so that conditions often meet one.
private struct RandomShelves {
  private var wares: [PlainWare] = []
  private var shelves: [PlainShelf] = []

  init(_ random: inout SeededGenerator) {
    let texts = ["", "a", "A", "ab", "ba", "É", "é", "ß", "SS", "a*b"]
    for id in 0..<8 {
      wares.append(
        PlainWare(
          id: id, name: texts.randomElement(using: &random) ?? "",
          note: Bool.random(using: &random) ? texts.randomElement(using: &random) : nil,
          amount: Int.random(in: -2...3, using: &random),
          rating: Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : nil,
          weight: [-0.0, 0, 1, 2.5, .nan, .infinity, -1].randomElement(using: &random) ?? 0,
          isNew: Bool.random(using: &random), label: texts.randomElement(using: &random) ?? "",
          spot: Spot(
            row: Int.random(in: 0...1, using: &random),
            place: Int.random(in: 0...1, using: &random))))
    }
    for id in 0..<6 {
      shelves.append(
        PlainShelf(
          id: id, title: texts.randomElement(using: &random) ?? "",
          best: Bool.random(using: &random) ? wares.randomElement(using: &random) : nil,
          wares: (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
            wares.randomElement(using: &random)
          },
          numbers: (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Int.random(in: -2...3, using: &random)
          },
          gaps: (0..<Int.random(in: 0...2, using: &random)).map { _ in
            Bool.random(using: &random) ? Int.random(in: -1...1, using: &random) : nil
          },
          words: []))
    }
  }

  /// Replaces what the store has.
  func fill(_ store: Store) throws -> [PlainShelf] {
    try store.write {
      store.deleteAll()
      var objects: [Int: Ware] = [:]
      for plain in wares {
        let ware = Ware()
        ware.id = plain.id
        ware.name = plain.name
        ware.note = plain.note
        ware.amount = plain.amount
        ware.rating = plain.rating
        ware.weight = plain.weight
        ware.isNew = plain.isNew
        ware.label = Label(plain.label)
        ware.spot = plain.spot
        store.add(ware)
        objects[plain.id] = ware
      }
      for plain in shelves {
        let shelf = Shelf()
        shelf.id = plain.id
        shelf.title = plain.title
        shelf.best = plain.best.flatMap { objects[$0.id] }
        shelf.wares.append(contentsOf: plain.wares.compactMap { objects[$0.id] })
        shelf.numbers.append(contentsOf: plain.numbers)
        shelf.gaps.append(contentsOf: plain.gaps)
        store.add(shelf)
      }
    }
    return shelves
  }
}

private enum RandomConditions {
  static func condition(depth: Int, _ random: inout SeededGenerator) -> Condition {
    guard depth > 0, Bool.random(using: &random) else { return leaf(&random) }
    let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      condition(depth: depth - 1, &random)
    }
    switch Int.random(in: 0...2, using: &random) {
    case 0: return .and(parts)
    case 1: return .or(parts)
    default: return .not(parts[0])
    }
  }

  private static func leaf(_ random: inout SeededGenerator) -> Condition {
    let sign = Sign.allCases.randomElement(using: &random) ?? .equal
    let other = Sign.allCases.randomElement(using: &random) ?? .equal
    let number = Int.random(in: -2...3, using: &random)
    let optional = Bool.random(using: &random) ? number : nil
    let search = Search.allCases.randomElement(using: &random) ?? .contains
    let texts = ["", "a", "B", "é", "s", "*", "?b", "a*", "SS"]
    let text = texts.randomElement(using: &random) ?? ""
    let flag = Bool.random(using: &random)
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return .id(sign, number)
    case 1: return .title(search, text, ignoresCase: flag)
    case 2: return .bestRating(sign, optional)
    case 3: return .bestNote(sign, flag ? text : nil)
    case 4: return .number(sign, number)
    case 5: return .noGap(sign, optional)
    case 6: return .wareAmount(sign, number)
    case 7:
      return .wareWeight(sign, [0, 1, .nan, .infinity].randomElement(using: &random) ?? 0)
    case 8: return .wareNote(search, text, ignoresCase: flag)
    case 9: return .wareSpot(Spot(row: number & 1, place: flag ? 1 : 0), isEqual: sign == .equal)
    case 10: return .warePlaces([optional, 1])
    case 11: return .count(sign, abs(number))
    case 12: return .greatest(sign, number)
    case 13: return .sum(sign, number)
    case 14: return .average(sign, Double(number) / 2)
    case 15: return .allNumbers(-1, 2, isClosed: flag)
    case 16: return .both(sign, number, flag, other, abs(number))
    default: return .wareOfShelf
    }
  }
}
