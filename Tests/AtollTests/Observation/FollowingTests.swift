@testable import Atoll
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

private final class Team: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var name: String
  @Persisted(.either) var years: List<Int>
  @Persisted(.either) var runners: List<Runner>
}

private final class Shoe: EmbeddedObject {
  @Persisted(.either) var size: Int
  @Persisted(.either) var maker: Team?
}

private final class Runner: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var lap: Int
  @Persisted(.either) var name: String
  @Persisted(.either) var team: Team?
  @Persisted(.either) var marks: List<Int>
  @Persisted(.either) var places: Map<String, Int>
  @Persisted(.either) var teams: List<Team>
  @Persisted(.either) var shoes: List<Shoe>
  @Persisted(.either) var note: AnyValue
  @Persisted(originProperty: "runners") var clubs: LinkingObjects<Team>
}

/// The reports of observers about many changes in one commit are the changes of the list.
@Suite struct FollowingTests {
  /// Objects as an observer was told to show them, and what it was told last.
  private final class Screen {
    var shown: [Int] = []
    var touched: Set<Int> = []

    func show(_ change: ResultsChange<Results<Runner>>) {
      touched = []
      switch change {
      case .initial(let runners): shown = runners.map(\.id)
      case .update(let runners, let deletions, let insertions, let modifications):
        for index in deletions.reversed() { touched.insert(shown.remove(at: index)) }
        for index in insertions { shown.insert(runners[index].id, at: index) }
        touched.formUnion((insertions + modifications).map { shown[$0] })
      case .error(let error): Issue.record("\(error)")
      }
    }
  }

  /// Sections in the same way.
  private final class SectionScreen<Key: Hashable> {
    var shown: [(key: Key, ids: [Int])] = []
    var touched: Set<Int> = []

    func show(_ change: SectionedResultsChange<SectionedResults<Key, Runner>>) {
      touched = []
      switch change {
      case .initial(let sections): shown = sections.map { ($0.key, $0.map(\.id)) }
      case .update(
        let sections, let deletions, let insertions, let modifications, let new, let gone):
        for path in deletions.reversed() {
          touched.insert(shown[path[0]].ids.remove(at: path[1]))
        }
        let moved = Set(gone.map { shown[$0].key }).intersection(new.map { sections[$0].key })
        for index in gone.reversed() {
          let section = shown.remove(at: index)
          if !moved.contains(section.key) { touched.formUnion(section.ids) }
        }
        for index in new {
          shown.insert((sections[index].key, sections[index].map(\.id)), at: index)
          if !moved.contains(shown[index].key) { touched.formUnion(shown[index].ids) }
        }
        for path in insertions { shown[path[0]].ids.insert(sections[path].id, at: path[1]) }
        touched.formUnion((insertions + modifications).map { shown[$0[0]].ids[$0[1]] })
      case .error(let error): Issue.record("\(error)")
      }
    }
  }

  private let folder: TemporaryStore
  private let queue = DispatchQueue(label: "store of the following tests")
  private nonisolated(unsafe) let store: Store
  private let seed = UInt64.random(in: 0 ... .max)

  init() throws {
    folder = TemporaryStore([Runner.self, Team.self, Shoe.self])
    nonisolated(unsafe) let store = try Store(configuration: folder.configuration, queue: queue)
    self.store = store
    try queue.sync {
      try store.write {
        for number in 0..<6 {
          store.create(Team.self, value: ["id": number, "name": "T\(number % 4)"])
        }
        for number in 0..<400 {
          let runner = store.create(
            Runner.self, value: ["id": number, "lap": number % 7, "name": "N\(number % 90)"])
          runner.team = store.object(ofType: Team.self, forPrimaryKey: number % 20)
        }
      }
    }
  }

  /// Changes some runners and teams; the runners for which what they show may have changed.
  private func change(_ random: inout SeededGenerator, _ next: inout Int) -> Set<Int> {
    var touched: Set<Int> = []
    for _ in 0..<Int.random(in: 1...9, using: &random) {
      let id = Int.random(in: 0..<next, using: &random)
      let runner = store.object(ofType: Runner.self, forPrimaryKey: id)
      touched.insert(id)
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1, 2: runner?.lap = Int.random(in: 0..<9, using: &random)
      case 3, 4: runner?.name = "N\(Int.random(in: 0..<90, using: &random))"
      case 5, 6:
        runner?.team = store.object(
          ofType: Team.self, forPrimaryKey: Int.random(in: 0..<8, using: &random))
      case 7: if let runner { store.delete(runner) }
      case 8, 9:
        store.create(Runner.self, value: ["id": next, "lap": next % 9, "name": "N\(next % 90)"])
        touched.insert(next)
        next += 1
      case 10:
        // Everybody between moves by one, and nobody else is told of.
        if let last = store.objects(Runner.self).sorted(by: \.lap).last {
          last.lap = -1
          touched.insert(last.id)
        }
      case 11, 12:
        let number = Int.random(in: 0..<6, using: &random)
        let team = store.object(ofType: Team.self, forPrimaryKey: number)
        if let runner, let runners = team?.runners, number == 1 {
          runners.append(runner)
          runners.remove(at: Int.random(in: 0..<runners.count, using: &random))
        } else if number == 5, Bool.random(using: &random) {
          if let team {
            touched.formUnion(linked(to: number))
            store.delete(team)
          } else {
            store.create(Team.self, value: ["id": number, "name": "T1"])
          }
        } else if Bool.random(using: &random) {
          team?.name = "T\(Int.random(in: 0..<5, using: &random))"
        } else {
          change(team?.years, to: Int.random(in: 0..<9, using: &random))
        }
        touched.formUnion(linked(to: number))
      default:
        let value = Int.random(in: 0..<9, using: &random)
        change(runner?.marks, to: value)
        runner?.note = value < 5 ? .int(value) : .none
        runner?.places["ABC".randomElement(using: &random).map(String.init) ?? ""] = value
        if let team = store.object(ofType: Team.self, forPrimaryKey: value) {
          change(runner?.teams, to: team)
          if value < 3 { runner?.note = .object(team) }
        }
        if value > 6, let shoe = runner?.shoes.first {
          shoe.size = value
        } else {
          let shoe = Shoe(value: ["size": value])
          shoe.maker = store.object(ofType: Team.self, forPrimaryKey: value)
          change(runner?.shoes, to: shoe)
        }
      }
    }
    return touched
  }

  private func linked(to team: Int) -> [Int] {
    store.objects(Runner.self).where { $0.team.id == team || $0.teams.id == team }.map(\.id)
  }

  /// Adds an element, or takes the first away where there are some.
  private func change<Element>(_ list: List<Element>?, to element: Element) {
    guard let list else { return }
    if list.count > 2 { list.remove(at: 0) } else { list.append(element) }
  }

  /// With `isSparing`, nothing is told of those that did not change.
  private func check(
    _ runners: () -> Results<Runner>, isSparing: Bool = true
  ) throws {
    nonisolated(unsafe) let screen = Screen()
    let token = queue.sync { runners().observe { screen.show($0) } }
    queue.sync {}
    try change(60, before: { screen.touched = [] }) { round, changed in
      #expect(screen.shown == runners().map(\.id), "seed \(seed), round \(round)")
      #expect(
        !isSparing || isSpared(changed, screen.touched), "seed \(seed), round \(round)")
    }
    token.invalidate()
  }

  /// So many commits, each looked at when observers have been told of it.
  private func change(
    _ rounds: Int, before: () -> Void, look: (_ round: Int, _ changed: Set<Int>) throws -> Void
  ) throws {
    var random = SeededGenerator(seed: seed)
    var next = queue.sync { (store.objects(Runner.self).map(\.id).max() ?? 0) + 1 }
    for round in 0..<rounds {
      try queue.sync {
        var changed: Set<Int> = []
        try store.write { changed = change(&random, &next) }
        before()
        store.takeTurns()
        try look(round, changed)
      }
    }
  }

  /// Tells whether nothing is told of those that did not change; of more changes it may be.
  private func isSpared(_ changed: Set<Int>, _ touched: Set<Int>) -> Bool {
    changed.count > 48 || touched.isSubset(of: changed)
  }

  private func check<Key: Hashable & SendableMetatype>(
    _ sections: () -> SectionedResults<Key, Runner>
  ) throws {
    nonisolated(unsafe) let screen = SectionScreen<Key>()
    let token = queue.sync { sections().observe { screen.show($0) } }
    try change(60, before: { screen.touched = [] }) { round, changed in
      let present = sections()
      #expect(screen.shown.map(\.key) == present.allKeys, "seed \(seed), round \(round)")
      #expect(
        screen.shown.map(\.ids) == present.map { $0.map(\.id) }, "seed \(seed), round \(round)")
      #expect(isSpared(changed, screen.touched), "seed \(seed), round \(round)")
    }
    token.invalidate()
  }

  // MARK: Results

  @Test func `many changes in one commit are told as what became of an order`() throws {
    try check { store.objects(Runner.self).sorted(by: \.lap) }
    try check {
      store.objects(Runner.self).where { $0.lap > 1 && $0.name > "N2" }
        .sorted(by: ["name", SortDescriptor(keyPath: "lap", ascending: false)])
    }
  }

  @Test func `many changes in one commit are told as what became of a filter`() throws {
    try check { store.objects(Runner.self) }
    try check { store.objects(Runner.self).where { $0.lap > 2 } }
  }

  @Test func `what decides may lie behind a link`() throws {
    try check { store.objects(Runner.self).where { $0.team.name == "T1" } }
    try check {
      store.objects(Runner.self).where { $0.lap > 0 }.sorted(by: ["team.name", "name"])
    }
    let first = queue.sync { store.object(ofType: Team.self, forPrimaryKey: 1) }
    try check { store.objects(Runner.self).where { $0.team == first } }
  }

  @Test func `what decides may be in a collection`() throws {
    try check { store.objects(Runner.self).where { $0.marks > 5 } }
    try check { store.objects(Runner.self).where { $0.marks.count > 1 }.sorted(by: \.lap) }
    try check { store.objects(Runner.self).where { $0.marks.sum < 9 } }
    try check { store.objects(Runner.self).where { $0.places["A"] > 3 } }
    try check { store.objects(Runner.self).where { $0.shoes.size == 7 } }
  }

  @Test func `what decides may be in collections of what is linked to`() throws {
    try check { store.objects(Runner.self).where { $0.teams.name == "T1" } }
    try check { store.objects(Runner.self).filter("ANY team.years > 4") }
    try check {
      store.objects(Runner.self)
        .filter("SUBQUERY(teams, $t, $t.name == 'T1' AND ANY $t.years > 2).@count > 0")
        .sorted(by: \.lap)
    }
    let first = queue.sync { store.object(ofType: Team.self, forPrimaryKey: 1) }
    try check {
      store.objects(Runner.self).where { $0.teams.containsAny(in: [first].compactMap(\.self)) }
    }
  }

  @Test func `what decides may be what links to an object, or a value of any type`() throws {
    for text in ["clubs.@count > 0", "ANY clubs.name > 'T1'", "note > 2", "note.@type == 'object'"]
    {
      try check({ store.objects(Runner.self).filter(text).sorted(by: \.lap) }, isSparing: false)
    }
    let team = try queue.sync {
      try #require(store.object(ofType: Team.self, forPrimaryKey: 1))
    }
    nonisolated(unsafe) let first = team
    let heard = Heard<[Int]>()
    let token = queue.sync {
      store.objects(Runner.self).filter("note == %@", first).observe { change in
        switch change {
        case .initial(let runners), .update(let runners, _, _, _): heard.note([runners.count])
        case .error: heard.note([])
        }
      }
    }
    queue.sync {}
    let count = try #require(heard.next()?.first)
    #expect(count > 0)
    try queue.sync {
      // A row that an any-typed value led to is gone, and nothing else was written.
      try store.write { store.delete(first) }
      store.takeTurns()
    }
    #expect(heard.next() == [0])
    token.invalidate()
  }

  /// Links from inside a list are not looked up, so the whole query is asked again.
  @Test func `what an embedded element leads to may go, come and change`() throws {
    for text in ["ANY shoes.maker != nil", "ANY shoes.maker.name == 'T1'"] {
      try check({ store.objects(Runner.self).filter(text) }, isSparing: false)
    }
    let heard = Heard<[Int]>()
    let token = queue.sync {
      store.objects(Runner.self).filter("ANY shoes.maker.id == 77").observe { change in
        switch change {
        case .initial(let runners), .update(let runners, _, _, _): heard.note(runners.map(\.id))
        case .error: heard.note([])
        }
      }
    }
    queue.sync {}
    _ = heard.next()
    try queue.sync {
      try store.write {
        let team = store.create(Team.self, value: ["id": 77, "name": "T1"])
        let runner = store.create(Runner.self, value: ["id": 1_000_000])
        runner.shoes.append(Shoe(value: ["maker": team]))
      }
      store.takeTurns()
    }
    #expect(heard.next() == [1_000_000])
    try queue.sync {
      // A row that an element led to is gone, and nothing else was written.
      try store.write {
        if let team = store.object(ofType: Team.self, forPrimaryKey: 77) { store.delete(team) }
      }
      store.takeTurns()
    }
    #expect(heard.next() == [])
    token.invalidate()
  }

  @Test func `what a list is sorted and filtered into is told in the same way`() throws {
    let first = try queue.sync {
      let team = try #require(store.object(ofType: Team.self, forPrimaryKey: 1))
      try store.write {
        team.runners.append(objectsIn: store.objects(Runner.self).where { $0.lap < 3 })
        team.runners.append(objectsIn: store.objects(Runner.self).where { $0.lap == 2 })
      }
      return team
    }
    nonisolated(unsafe) let team = first
    try check({ team.runners.sorted(by: \.lap) }, isSparing: false)
    try check({ team.runners.where { $0.lap > 0 && $0.team.name > "T1" } }, isSparing: false)
  }

  @Test func `what is cut off or taken once is told in the same way`() throws {
    for limit in [0, 1, 10, 300, 1000] {
      try check({ store.objects(Runner.self).sorted(by: \.lap).prefix(limit) }, isSparing: false)
    }
    try check({ store.objects(Runner.self).where { $0.lap > 2 }.prefix(20) }, isSparing: false)
    try check({ store.objects(Runner.self).distinct(by: [\.name]) }, isSparing: false)
  }

  // MARK: Sections

  @Test func `many changes in one commit are told as what became of sections`() throws {
    try check { store.objects(Runner.self).sectioned(by: \.lap) }
    try check {
      store.objects(Runner.self).where { $0.name < "N8" }
        .sectioned(by: \.name, sortDescriptors: ["name", "lap"])
    }
  }

  @Test func `sections may be named by what lies behind a link`() throws {
    try check {
      store.objects(Runner.self).sectioned(
        by: \.team?.name, sortDescriptors: ["team.name", "name"])
    }
  }

  /// The sections come in the order of their first objects, and so change places among each other.
  @Test func `sections may be named by a function`() throws {
    try check {
      store.objects(Runner.self).sectioned(
        by: { $0.lap % 2 == 0 ? "even" : "odd" }, sortDescriptors: ["lap"])
    }
    try check {
      store.objects(Runner.self).sectioned(by: { $0.name }, sortDescriptors: ["lap", "name"])
    }
    try check {
      store.objects(Runner.self).where { $0.lap > 0 }
        .sectioned(by: { $0.team?.name }, sortDescriptors: ["name"])
    }
  }
}
