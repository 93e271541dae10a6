import Atoll
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// Observers of lists, sets and maps, and how far observers of collections look.
@Suite struct CollectionObservationTests {
  let harbours: HarbourStore
  let store: Store
  let queue = DispatchQueue(label: "collection observer")
  let heard = Heard<[[Int]]>()

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  @Test func `a list's observer hears of elements that came, went, moved and changed`() throws {
    let piers = harbours.harbour("KIEL").piers
    let token = piers.observe(on: queue) { [heard] in heard.note($0.indices) }
    #expect(heard.next() == [])
    try store.write { piers.append(4) }
    #expect(heard.next() == [[], [3], []])
    try store.write { piers[1] = 9 }
    #expect(heard.next() == [[], [], [1]])
    try store.write { piers.remove(at: 0) }
    #expect(heard.next() == [[0], [], []])
    try store.write { piers.move(from: 0, to: 2) }
    #expect(heard.next() == [[0], [2], []])
    try store.write { store.delete(harbours.harbour("KIEL")) }
    #expect(heard.next() == [[0, 1, 2], [], []])
    token.invalidate()
  }

  @Test func `rule 39: indices are those of the stored list, convertible or not`() throws {
    let folder = TemporaryStore([Sounding.self])
    let store = try folder.open()
    let sounding = try store.write { store.create(Sounding.self, value: [[1, 500, 3]]) }
    let token = sounding.depths.observe(on: queue) { [heard] in heard.note($0.indices) }
    #expect(heard.next() == [])
    try store.write { sounding.depths[2] = Fathoms(4) }
    #expect(heard.next() == [[], [], [2]])
    try store.write { sounding.depths.remove(at: 1) }
    #expect(heard.next() == [[1], [], []])
    token.invalidate()
  }

  @Test func `a list of objects changes with what its objects have and link to`() throws {
    let calls = harbours.ship("Adler").calls
    let deep = calls.observe(on: queue) { [heard] in heard.note($0.indices) }
    let names = Heard<[[Int]]>()
    let narrow = calls.observe(keyPaths: [\Harbour.name], on: queue) {
      names.note($0.indices)
    }
    #expect(heard.next() == [])
    #expect(names.next() == [])
    try store.write { harbours.harbour("BREST").website = nil }
    #expect(heard.next() == [[], [], [1]])
    try store.write { harbours.harbour("BREST").name = "B" }
    #expect(names.next() == [[], [], [1]])
    deep.invalidate()
    narrow.invalidate()
  }

  @Test func `results change with what their objects link to, by default four links deep`() throws {
    let ships = store.objects(Ship.self)
    let token = ships.observe(on: queue) { [heard] in heard.note($0.indices) }
    let own = Heard<[[Int]]>()
    let narrow = ships.observe(keyPaths: ["crew", "calls"], on: queue) {
      own.note($0.indices)
    }
    #expect(heard.next() == [])
    #expect(own.next() == [])
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next() == [[], [], [0, 1]])
    try store.write { harbours.ship("Bussard").crew = 1 }
    #expect(heard.next() == [[], [], [1]])
    #expect(own.next() == [[], [], [1]])
    try store.write { harbours.ship("Adler").calls.removeLast() }
    #expect(own.next() == [[], [], [0]])
    token.invalidate()
    narrow.invalidate()
  }

  @Test func `a set's observer and a map's observer hear of what changed`() throws {
    let folder = TemporaryStore([Chart.self])
    let store = try folder.open()
    let chart = try store.write {
      store.create(Chart.self, value: ["buoys": ["a", "b"], "marks": ["x": 1, "y": 2]])
    }
    let keys = Heard<[[String]]>()
    let tokens = [
      chart.buoys.observe(on: queue) { [heard] in heard.note($0.indices) },
      chart.marks.observe(on: queue) { change in
        switch change {
        case .initial(let map): keys.note([map.keys.sorted()])
        case .update(_, let deletions, let insertions, let modifications):
          keys.note([deletions, insertions, modifications])
        case .error: keys.note([])
        }
      },
    ]
    #expect(heard.next() == [])
    #expect(keys.next() == [["x", "y"]])
    try store.write {
      chart.buoys.insert("c")
      chart.buoys.insert("a")
      chart.marks["x"] = nil
      chart.marks["y"] = 3
      chart.marks["z"] = 4
    }
    #expect(heard.next()?[1].count == 1)
    #expect(keys.next() == [["x"], ["z"], ["y"]])
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func `the changes of a list come as a sequence`() async throws {
    let store = try harbours.folder.open()
    let kiel = try #require(store.object(ofType: Harbour.self, forPrimaryKey: "KIEL"))
    var changes = kiel.piers.changes.makeAsyncIterator()
    guard case .initial? = try await changes.next() else {
      Issue.record("The first is not the list as it is.")
      return
    }
    try store.write { kiel.piers.append(4) }
    guard case .update(let piers, [], [3], [])? = try await changes.next() else {
      Issue.record("The second is no insertion.")
      return
    }
    #expect(piers === kiel.piers)
  }

  @Test func `a list that no store manages cannot be observed`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = List<Int>().observe { _ in }
    }
    #expect(said(result, "Observing a collection that no store manages."))
  }
}

private final class Sounding: Object {
  @Persisted(.either) var depths: List<Fathoms>
}

private final class Chart: Object {
  @Persisted(.either) var buoys: MutableSet<String>
  @Persisted(.either) var marks: Map<String, Int>
}

extension ResultsChange {
  /// Deletions, insertions and modifications; empty for the first call.
  fileprivate var indices: [[Int]] {
    switch self {
    case .initial: []
    case .update(_, let deletions, let insertions, let modifications):
      [deletions, insertions, modifications]
    case .error: [[-1]]
    }
  }
}
