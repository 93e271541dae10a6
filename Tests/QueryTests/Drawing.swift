import Foundation
import TestKit

extension World {
  /// Objects with what properties have drawn from their pools; of the other properties, the defaults
  /// of their types.
  init(_ properties: [DrawnProperty], _ random: inout SeededRandom) {
    let count = 4 + random.below(5)
    for id in 0..<count {
      var object = PlainObject(id: id)
      for property in properties where !property.values.isEmpty {
        object.fill(property, &random)
      }
      object.next = random.chance(2, of: 3) ? random.below(count) : nil
      object.many = (0..<random.below(4)).map { _ in random.below(count) }
      object.others = Set((0..<random.below(3)).map { _ in random.below(count) }).sorted()
      for key in ["a", "b"] where random.chance(1, of: 2) {
        object.entries[key] = .some(random.chance(3, of: 4) ? random.below(count) : nil)
      }
      object.hub = random.chance(2, of: 3) ? random.below(Self.hubCount) : nil
      object.hubs = (0..<random.below(3)).map { _ in random.below(Self.hubCount) }
      object.inner = random.chance(2, of: 3) ? PlainInner(among: count, &random) : nil
      object.inners = (0..<random.below(3)).map { _ in PlainInner(among: count, &random) }
      objects.append(object)
    }
    for _ in 0..<Self.hubCount {
      hubs.append(
        PlainHub(
          wide: random.chance(3, of: 4) ? random.below(count) : nil,
          wides: (0..<random.below(3)).map { _ in random.below(count) },
          hasPort: random.chance(1, of: 2),
          pier: random.chance(3, of: 4) ? random.below(count) : nil))
    }
  }

  static let hubCount = 3
}

extension PlainInner {
  fileprivate init(among count: Int, _ random: inout SeededRandom) {
    wide = random.chance(2, of: 3) ? random.below(count) : nil
    deeper = random.chance(1, of: 2) ? random.below(World.hubCount) : nil
  }
}

extension PlainObject {
  fileprivate mutating func fill(_ property: DrawnProperty, _ random: inout SeededRandom) {
    func draw(_ random: inout SeededRandom) -> Plain {
      property.values[random.below(property.values.count)]
    }
    let elements = (0..<random.below(4)).map { _ in draw(&random) }
    switch property.shape {
    case .one: ones[property.name] = draw(&random)
    case .list: collections[property.name] = elements
    case .set:
      // Elements that are equal in the file are one.
      collections[property.name] = elements.reduce(into: []) { different, value in
        if !different.contains(where: { $0.isOne(with: value) }) { different.append(value) }
      }
    case .map:
      var map: [String: Plain] = [:]
      for (key, value) in zip(["a", "A", "é", "b"], elements) { map[key] = value }
      maps[property.name] = map
    }
  }
}

extension Plain {
  /// Tells whether a set holds one of both only.
  fileprivate func isOne(with other: Plain) -> Bool { equals(other) || isNaN && other.isNaN }
}

/// Draws conditions, orders and bounds over some properties.
struct Drawing {
  let properties: [DrawnProperty]
  /// The links that the round's schema has.
  let ways: [Way]

  func condition(depth: Int, _ random: inout SeededRandom) -> Condition {
    guard depth > 0, random.chance(1, of: 2) else { return .leaf(leaf(&random)) }
    let parts = (0..<1 + random.below(3)).map { _ in condition(depth: depth - 1, &random) }
    switch random.below(3) {
    case 0: return .all(parts)
    case 1: return .any(parts)
    default: return .not(parts[0])
    }
  }

  private func leaf(_ random: inout SeededRandom) -> Leaf {
    let property = properties[random.below(properties.count)]
    let makers = property.makers
    let way = random.chance(1, of: 2) ? .own : ways[random.below(ways.count)]
    return makers[random.below(makers.count)](way, &random)
  }

  func arrangement(_ random: inout SeededRandom) -> Arrangement {
    let sortable = properties.filter(\.isSortable)
    var arrangement = Arrangement()
    guard random.chance(1, of: 3), !sortable.isEmpty else { return arrangement }
    for _ in 0..<random.below(3) {
      let property = sortable[random.below(sortable.count)]
      let way = [Way.own, .next][random.below(2)]
      if arrangement.order.contains(where: { $0.name == property.name && $0.way == way }) {
        continue
      }
      arrangement.order.append(
        .init(
          name: property.name, way: way, isAny: property.isAny,
          isAscending: random.chance(1, of: 2)))
    }
    if random.chance(1, of: 4) {
      let property = sortable[random.below(sortable.count)]
      arrangement.distinct = .init(
        name: property.name, way: .own, isAny: property.isAny, isAscending: true)
    }
    if random.chance(1, of: 3) { arrangement.limit = random.below(5) }
    return arrangement
  }
}

/// An order of results, what tells them apart, and how many there are at most.
struct Arrangement {
  struct Term {
    var name: String
    var way: Way
    var isAny: Bool
    var isAscending: Bool

    var path: String { way.text + name }
    var text: String { way.text + escaped(name) }

    func value(of object: PlainObject, in world: World) -> Plain {
      world.ones(name, way, object)[0]
    }
  }

  var order: [Term] = []
  var distinct: Term?
  var limit: Int?

  var text: String {
    var text = ""
    if !order.isEmpty {
      let terms = order.map { "\($0.text) \($0.isAscending ? "ASC" : "DESC")" }
      text += " SORT(\(terms.joined(separator: ", ")))"
    }
    if let distinct { text += " DISTINCT(\(distinct.text))" }
    if let limit { text += " LIMIT(\(limit))" }
    return text
  }

  /// The objects, which are in the order in which they were made.
  func applied(to objects: [PlainObject], in world: World) -> [PlainObject] {
    var result = objects
    // A sort that keeps the order of equals, from the last term to the first.
    for term in order.reversed() {
      for index in result.indices.dropFirst() {
        var place = index
        while place > 0, isBefore(result[place], result[place - 1], term, world) {
          result.swapAt(place, place - 1)
          place -= 1
        }
      }
    }
    if let distinct {
      var seen: [Plain] = []
      result = result.filter { object in
        let value = distinct.value(of: object, in: world)
        let isNew = !seen.contains {
          !$0.comesBefore(value, isAny: distinct.isAny)
            && !value.comesBefore($0, isAny: distinct.isAny)
        }
        if isNew { seen.append(value) }
        return isNew
      }
    }
    return limit.map { Array(result.prefix($0)) } ?? result
  }

  private func isBefore(
    _ a: PlainObject, _ b: PlainObject, _ term: Term, _ world: World
  ) -> Bool {
    let (a, b) = (term.value(of: a, in: world), term.value(of: b, in: world))
    return term.isAscending
      ? a.comesBefore(b, isAny: term.isAny) : b.comesBefore(a, isAny: term.isAny)
  }
}
