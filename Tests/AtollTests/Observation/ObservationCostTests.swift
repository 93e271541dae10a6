@testable import Atoll
import AtollStorage
import Dispatch
import Foundation
import Testing

/// What a commit costs observers, in statements and rows: what changed counts, not what is observed.
@Suite struct ObservationCostTests {
  let folder: TemporaryStore
  let queue = DispatchQueue(label: "store of the cost tests")
  nonisolated(unsafe) let store: Store

  init() throws {
    folder = try TemporaryStore(Harbour.types)
    nonisolated(unsafe) let store = try Store(configuration: folder.configuration, queue: queue)
    self.store = store
    try queue.sync {
      try store.write {
        for number in 0..<5000 { store.create(Ship.self, value: ["S\(number)", number]) }
      }
    }
  }

  /// What the file is asked, by whoever takes turns after a write.
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
}
