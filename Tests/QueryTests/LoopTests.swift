import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import TestKit
import Testing

final class Wagon: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var place: Int
  @Persisted var name: String
  @Persisted var weight: Double?
  @Persisted var load: Int
  @Persisted var next: Wagon?
  @Persisted var seals: List<Int>
  @Persisted var brake: Brake?
}

final class Brake: EmbeddedObject {
  @Persisted var force: Int
}

final class Freight: Object {
  @Persisted var first: Crate?
  @Persisted var second: Crate?
  @Persisted var third: Crate?
  @Persisted var fourth: Crate?
  @Persisted var fifth: Crate?
  @Persisted var last: Int

  convenience init(_ number: Int) {
    self.init()
    (first, second, third, fourth, fifth) = (Crate(), Crate(), Crate(), Crate(), Crate())
    last = number
  }
}

final class Crate: EmbeddedObject {
  @Persisted var a: Int
  @Persisted var b: Int
  @Persisted var c: Int
  @Persisted var d: Int
  @Persisted var e: Int
  @Persisted var f: Int
  @Persisted var g: Int
  @Persisted var h: Int
  @Persisted var i: Int
  @Persisted var j: Int
  @Persisted var k: Int
  @Persisted var l: Int
  @Persisted var m: Int
}

/// Loops read rows ahead, with the values that rows before them were asked for; whatever they ask for,
/// keep, or change, they see what is there.
@Suite struct LoopTests {
  private static let wagons = 150
  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore([Wagon.self, Brake.self])
    store = try place.open()
    try store.write {
      for number in 0..<Self.wagons { store.add(Train.wagon(number)) }
      for wagon in all { wagon.next = store.object(ofType: Wagon.self, forPrimaryKey: wagon.load) }
    }
  }

  private var all: Results<Wagon> { store.objects(Wagon.self) }

  @Test(arguments: 1...60)
  func `a loop sees what is there, whatever it does`(seed: UInt64) throws {
    var train = Train(Self.wagons, seed: seed)
    for wagon in all.sorted(by: \.place, ascending: train.isAscending) {
      try train.visit(wagon, in: store)
    }
    train.checkEnd()
  }

  @Test func `values that no row before was asked for cost two statements a turn`() {
    let results = all.sorted(by: \.place)
    func cost(_ ask: @escaping (Int, Wagon) -> Void) -> Int {
      let loop = { for (turn, wagon) in results.enumerated() { ask(turn, wagon) } }
      loop()
      return store.traced(loop).statements.count
    }
    #expect(cost { _, wagon in _ = wagon.name } == 1)
    #expect(cost { _, wagon in _ = (wagon.number, wagon.load, wagon.weight) } == 1)
    // One row is read alone, and then what is left of those read ahead.
    #expect(cost { turn, wagon in _ = turn < 100 ? wagon.name : "\(wagon.load)" } <= 3)
    #expect(cost { turn, wagon in if turn == 100 { _ = wagon.number } } == 2)
    #expect(cost { _, wagon in _ = wagon.brake?.force } == 1)
    // Those kept are read whole, and the loop goes on row by row for a while.
    var kept: [Wagon] = []
    #expect(cost { turn, wagon in if turn > 100 { kept.append(wagon) } } <= 3)
    #expect(kept.allSatisfy { $0.name == "wagon \($0.number)" })
  }

  @Test func `a loop that ends early has read few rows more than it was asked for`() {
    let results = all.sorted(by: \.place)
    _ = results.first
    for length in [1, 2, 3, 10, 50] {
      let trace = store.traced {
        for (turn, wagon) in results.enumerated() {
          _ = wagon.name
          if turn + 1 == length { break }
        }
      }
      #expect(trace.rows <= length + min(length, 16), "\(trace.rows) rows for \(length)")
    }
  }

  @Test func `few rows with long values are in memory at once`() throws {
    try store.write {
      for wagon in all { wagon.name = String(repeating: "x", count: 40_000) }
    }
    let trace = store.traced {
      for (turn, wagon) in all.enumerated() where wagon.name.utf8.count > turn {
        if turn == 99 { break }
      }
    }
    #expect(trace.rows <= 102)
  }

  @Test func `columns beyond those that are remembered are read too`() throws {
    let store = try Store(
      configuration: .init(
        fileURL: place.folder.appending(path: "long.atoll"),
        objectTypes: [Freight.self, Crate.self]))
    try store.write {
      for number in 0..<40 { store.add(Freight(number)) }
    }
    // Five crates have 70 columns, and what has no bit comes behind them.
    for (number, freight) in store.objects(Freight.self).enumerated() where number > 20 {
      #expect(freight.last == number)
    }
  }
}

/// The train of a loop: the wagons that it must see, and its actions.
private struct Train {
  private struct State {
    var name: String
    var weight: Double?
    var load: Int
    var seals: [Int]
    var force: Int?

    init(_ wagon: Wagon) {
      (name, weight, load) = (wagon.name, wagon.weight, wagon.load)
      (seals, force) = (Array(wagon.seals), wagon.brake?.force)
    }
  }

  private enum Act: CaseIterable {
    case nothing, name, load, number, weight, next, seals, brake, all, keep, rename, delete, nested
  }

  let isAscending: Bool
  private var random: SeededRandom
  /// By number; nil for those deleted.
  private var states: [State?]
  /// Numbers of those whose turn has not come.
  private var waiting: ArraySlice<Int>
  private var kept: [(number: Int, wagon: Wagon)] = []
  private var act = Act.name
  private var turnsLeft = 0

  init(_ count: Int, seed: UInt64) {
    random = SeededRandom(seed: seed)
    isAscending = Bool.random(using: &random)
    states = (0..<count).map { State(Self.wagon($0)) }
    let order = (0..<count).sorted { Self.wagon($0).place < Self.wagon($1).place }
    waiting = ArraySlice(isAscending ? order : order.reversed())
  }

  static func wagon(_ number: Int) -> Wagon {
    let wagon = Wagon()
    wagon.number = number
    wagon.place = number * 37 % 150
    wagon.name = "wagon \(number)"
    wagon.weight = number % 3 == 0 ? nil : Double(number) / 4
    wagon.load = number * 7 % 150
    wagon.seals.append(objectsIn: 0..<number % 4)
    if number % 5 != 0 {
      let brake = Brake()
      brake.force = number
      wagon.brake = brake
    }
    return wagon
  }

  /// Does something with the wagon whose turn it is.
  mutating func visit(_ wagon: Wagon, in store: Store) throws {
    // The same again and again, so that rows are read ahead, and then something else.
    if turnsLeft == 0 {
      act = Act.allCases.randomElement(using: &random) ?? .name
      turnsLeft = Int.random(in: 1...(act == .delete || act == .rename ? 3 : 30), using: &random)
    }
    turnsLeft -= 1
    while let first = waiting.first, states[first] == nil { waiting.removeFirst() }
    let next = waiting.popFirst()
    let number = try #require(next)
    switch act {
    case .keep: kept.append((number, wagon))
    case .rename:
      try store.write { wagon.name = "renamed \(number)" }
      states[number]?.name = "renamed \(number)"
    case .delete: try delete(anotherThan: number, in: store)
    case .nested:
      for other in store.objects(Wagon.self).where({ $0.load < 20 }) {
        check(other, other.number, .weight)
      }
    default: check(wagon, number, act)
    }
  }

  private mutating func delete(anotherThan present: Int, in store: Store) throws {
    let number = Int.random(in: states.indices, using: &random)
    guard number != present,
      let other = store.object(ofType: Wagon.self, forPrimaryKey: number)
    else { return }
    try store.write { store.delete(other) }
    states[number] = nil
  }

  func checkEnd() {
    #expect(waiting.allSatisfy { states[$0] == nil })
    for (number, wagon) in kept {
      #expect(wagon.isInvalidated == (states[number] == nil))
      if states[number] != nil { check(wagon, number, .all) }
    }
  }

  private func check(_ wagon: Wagon, _ number: Int, _ act: Act) {
    switch act {
    case .name: #expect(wagon.name == states[number]?.name)
    case .load: #expect(wagon.load == states[number]?.load)
    case .number: #expect(wagon.number == number)
    case .weight: #expect(wagon.weight == states[number]?.weight)
    case .seals: #expect(Array(wagon.seals) == states[number]?.seals)
    case .brake: #expect(wagon.brake?.force == states[number]?.force)
    case .next:
      let load = number * 7 % states.count
      #expect(wagon.next?.number == (states[load] == nil ? nil : load))
    case .all:
      let all: [Act] = [.seals, .name, .weight, .load, .number, .brake, .next]
      for act in all { check(wagon, number, act) }
    case .nothing, .keep, .rename, .delete, .nested: break
    }
  }
}
