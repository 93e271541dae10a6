@testable import Atoll
import AtollStorage
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// The cost of a commit for observers, in statements, rows and the search for these: the changes
/// count, not the observed objects.
@Suite struct ObservationCostTests {
  let folder: TemporaryStore
  let queue = DispatchQueue(label: "store of the cost tests")
  nonisolated(unsafe) let store: Store

  init() throws {
    folder = TemporaryStore(Harbour.types)
    nonisolated(unsafe) let store = try Store(configuration: folder.configuration, queue: queue)
    self.store = store
    try queue.sync {
      try store.write {
        for number in 0..<5000 { store.create(Ship.self, value: ["S\(number)", number]) }
      }
    }
  }

  /// Returns the queries of the file after a write, by all that take turns.
  private func trace(_ write: () -> Void) throws -> QueryTrace {
    try queue.sync {
      try store.write(write)
      // The turn that the commit has scheduled comes after this, and finds nothing more.
      return store.traced { store.takeTurns() }
    }
  }

  /// Observes, and waits until everybody has begun.
  private func observe(_ results: [Results<Ship>], _ heard: Heard<Int>) -> [NotificationToken] {
    let tokens = queue.sync {
      results.map { results in
        results.observe { change in
          if case .update(_, let deletions, let insertions, let modifications) = change {
            heard.note(deletions.count + insertions.count + modifications.count)
          }
        }
      }
    }
    queue.sync {}
    return tokens
  }

  private func ship(_ number: Int) -> Ship {
    store.objects(Ship.self).where { $0.crew == Int32(number) }.first ?? Ship()
  }

  @Test func `one changed object among thousands costs no row of the others`() throws {
    let heard = Heard<Int>()
    let results = queue.sync {
      let ships = store.objects(Ship.self)
      return [ships, ships.where { $0.crew > 100 }, ships.where { $0.name.starts(with: "S1") }]
    }
    let tokens = observe(results, heard)
    let trace = try trace { ship(1000).name = "S1 renamed" }
    #expect(trace.rows < 20, "\(trace.statements)")
    #expect((0..<3).compactMap { _ in heard.next() } == [1, 1, 1])
    for token in tokens { token.invalidate() }
  }

  @Test func `a thousand observers ask the file nothing about an unrelated commit`() throws {
    let results = queue.sync {
      (0..<1000).map { number in store.objects(Ship.self).where { $0.crew == Int32(number) } }
    }
    let tokens = observe(results, Heard<Int>())
    let trace = try trace { store.create(Harbour.self, value: ["code": "X"]) }
    #expect(trace.statements.count < 20, "\(trace.statements)")
    for token in tokens { token.invalidate() }
  }

  @Test func `a property that decides nothing makes no observer ask its query again`() throws {
    let results = queue.sync {
      (0..<100).map { number in
        store.objects(Ship.self).where { $0.crew > Int32(number) }.sorted(by: \.crew)
      }
    }
    let heard = Heard<Int>()
    let tokens = observe(results, heard)
    let trace = try trace { ship(2000).name = "Renamed" }
    #expect(trace.rows < 20, "\(trace.statements)")
    #expect(heard.next() == 1)
    for token in tokens { token.invalidate() }
  }

  /// Lets one observer tell of several changes, and says what the file was asked for it.
  private func cost(of results: Results<Ship>, _ write: () -> Void) throws -> QueryTrace {
    let heard = Heard<Int>()
    let tokens = observe([results], heard)
    let trace = try trace(write)
    #expect(heard.next() != nil)
    for token in tokens { token.invalidate() }
    return trace
  }

  @Test func `several objects that change places cost a few rows each`() throws {
    let (sorted, one) = queue.sync { (store.objects(Ship.self).sorted(by: \.crew), ship(7)) }
    let single = try cost(of: sorted) { one.crew = 3210 }
    #expect(single.rows < 100, "\(single.statements)")
    let several = try cost(of: sorted) {
      for number in 0..<10 { ship(400 * number + 50).crew = Int32(5000 - 300 * number) }
    }
    #expect(several.rows < 10 * 100, "\(several.statements)")
  }

  @Test func `a change behind a link costs the objects that have the link`() throws {
    let (harbour, results) = try queue.sync {
      let harbour = try store.write {
        let harbour = store.create(Harbour.self, value: ["code": "KIEL", "name": "Kiel"])
        for number in 0..<10 { ship(number * 100).home = harbour }
        return harbour
      }
      return (harbour, store.objects(Ship.self).sorted(byKeyPath: "home.name"))
    }
    let renamed = try cost(of: results) { harbour.name = "Brest" }
    #expect(renamed.rows < 200, "\(renamed.statements)")
    let moved = try cost(of: results) { ship(4000).home = harbour }
    #expect(moved.rows < 200, "\(moved.statements)")
  }

  @Test func `a change in sections costs a few rows, also to who reads them then`() throws {
    nonisolated(unsafe) let sections = queue.sync { store.objects(Ship.self).sectioned(by: \.crew) }
    let heard = Heard<[Int]>()
    let token = queue.sync {
      sections.observe { change in
        guard case .update(let sections, let gone, let new, let modified, _, _) = change else {
          return
        }
        heard.note([gone.count, new.count, modified.count, sections.count, sections[17].count])
      }
    }
    queue.sync {}
    let trace = try trace {
      ship(1000).crew = 17
      ship(2000).name = "Renamed"
    }
    #expect(heard.next() == [0, 1, 1, 4999, 2])
    #expect(trace.rows < 100, "\(trace.statements)")
    token.invalidate()
  }

  @Test func `sections by a function ask it about what changed, and nobody else`() throws {
    let asked = Heard<Int>()
    let heard = Heard<[Int]>()
    let token = queue.sync {
      let sections = store.objects(Ship.self).sectioned(
        by: { ship in
          asked.note(Int(ship.crew))
          return ship.crew % 10
        }, sortDescriptors: ["crew"])
      return sections.observe { change in
        guard case .update(_, let gone, let new, let modified, _, _) = change else { return }
        heard.note([gone.count, new.count, modified.count])
      }
    }
    queue.sync {}
    _ = asked.takeAll()
    let trace = try trace {
      ship(1000).crew = 17
      ship(2000).name = "Renamed"
    }
    #expect(heard.next() == [1, 1, 1])
    #expect(asked.takeAll().count == 2)
    #expect(trace.rows < 100, "\(trace.statements)")
    token.invalidate()
  }

  @Test func `what lies beyond a limit costs a few rows`() throws {
    let results = queue.sync { store.objects(Ship.self).sorted(by: \.crew).prefix(1000) }
    let tokens = observe([results], Heard<Int>())
    let beyond = try trace { ship(3000).crew = 4000 }
    #expect(beyond.rows < 100, "\(beyond.statements)")
    let within = try trace { ship(4900).crew = 1 }
    #expect(within.rows < 100, "\(within.statements)")
    for token in tokens { token.invalidate() }
  }

  @Test func `a change in a collection that decides costs the objects that have it`() throws {
    let (harbour, results) = try queue.sync {
      let harbour = try store.write {
        let harbour = store.create(Harbour.self, value: ["code": "KIEL", "name": "Kiel"])
        for number in 0..<100 { ship(number * 50).calls.append(harbour) }
        return harbour
      }
      return (
        harbour, store.objects(Ship.self).where { $0.calls.name == "Kiel" }.sorted(by: \.crew)
      )
    }
    let appended = try cost(of: results) { ship(4001).calls.append(harbour) }
    #expect(appended.instructions < 5000, "\(appended.statements)")
  }

  @Test func `who links to what changed is found without looking at the others`() throws {
    let (harbour, results) = try queue.sync {
      let harbour = try store.write {
        let harbour = store.create(Harbour.self, value: ["code": "KIEL", "name": "Kiel"])
        ship(20).calls.append(harbour)
        ship(4000).home = harbour
        return harbour
      }
      return (harbour, store.objects(Ship.self))
    }
    let renamed = try cost(of: results) { harbour.name = "Brest" }
    #expect(renamed.instructions < 2000, "\(renamed.statements)")
    let both = try cost(of: results) {
      harbour.name = "Kiel"
      store.create(Harbour.self, value: ["code": "BRE", "name": "Bremen"])
      ship(30).calls.append(harbour)
    }
    #expect(both.instructions < 2000, "\(both.statements)")
    let sorted = queue.sync {
      results.where { $0.home.name == "Brest" || $0.calls.name == "Brest" }.sorted(by: \.name)
    }
    let again = try cost(of: sorted) { harbour.name = "Brest" }
    #expect(again.instructions < 5000, "\(again.statements)")
  }
}
