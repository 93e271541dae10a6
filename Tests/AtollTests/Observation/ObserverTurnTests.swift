import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// The calls of observers: their time, their place, and their end.
@Suite struct ObserverTurnTests {
  let harbours: HarbourStore
  let store: Store
  let queue = DispatchQueue(label: "observers in turns")

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private static func text<C>(_ change: ResultsChange<C>) -> String {
    switch change {
    case .initial: "initial"
    case .update(_, let gone, let new, let modified): "\(gone) \(new) \(modified)"
    case .error(let error): "\((error as? Store.Error)?.code ?? .system)"
    }
  }

  @Test func `commits that are made before an observer's turn are told as one`() throws {
    let heard = Heard<String>()
    let token = store.objects(Ship.self).observe(on: queue) { heard.note(Self.text($0)) }
    #expect(heard.next() == "initial")
    queue.suspend()
    for name in ["C", "D", "E"] { try store.write { store.create(Ship.self, value: [name]) } }
    try store.write { harbours.ship("Adler").name = "A" }
    queue.resume()
    #expect(heard.next() == "[] [2, 3, 4] [0]")
    queue.sync {}
    #expect(heard.next(within: 0) == nil)
    token.invalidate()
  }

  @Test @MainActor func `what happens while a loop is busy comes with its next step`() async throws
  {
    let store = try harbours.folder.open()
    var changes = store.objects(Ship.self).changes.makeAsyncIterator()
    #expect(try await changes.next().map(Self.text) == "initial")
    for name in ["C", "D", "E"] { try store.write { store.create(Ship.self, value: [name]) } }
    #expect(try await changes.next().map(Self.text) == "[] [2, 3, 4] []")
  }

  @Test @MainActor func `without a queue observers are called on the main queue`() async throws {
    let store = try harbours.folder.open()
    let heard = Heard<Int>()
    let token = store.objects(Ship.self).observe { change in
      MainActor.preconditionIsolated()
      if case .initial(let ships) = change { heard.note(ships.count) }
    }
    #expect(await heard.following() == 2)
    token.invalidate()
  }

  @Test func `an observer whose file cannot be read is told so, and nothing more`() throws {
    let heard = Heard<String>()
    queue.suspend()
    let adler = harbours.ship("Adler")
    let tokens = [
      store.objects(Ship.self).observe(on: queue) { heard.note(Self.text($0)) },
      adler.calls.observe(on: queue) { heard.note(Self.text($0)) },
      store.objects(Ship.self).sectioned(by: \.crew).observe(on: queue) { change in
        if case .error(let error as Store.Error) = change { heard.note("\(error.code)") }
      },
      adler.observe(on: queue) { change in
        if case .error(let error as Store.Error) = change { heard.note("\(error.code)") }
      },
    ]
    // The log has whatever was not brought into the file yet.
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: harbours.folder.file.path + suffix)
    }
    try Data("a letter".utf8).write(to: harbours.folder.file, options: .atomic)
    queue.resume()
    #expect((0..<4).compactMap { _ in heard.next() } == Array(repeating: "invalidFile", count: 4))
    queue.sync {}
    #expect(heard.next(within: 0) == nil)
    for token in tokens { token.invalidate() }
  }

  @Test @MainActor func `every form of a write can spare an observer`() async throws {
    let store = try harbours.folder.open()
    let heard = Heard<String>()
    let token = store.objects(Ship.self).observe(on: queue) { heard.note(Self.text($0)) }
    #expect(await heard.following() == "initial")
    try store.beginWrite()
    store.create(Ship.self, value: ["C"])
    try store.commitWrite(withoutNotifying: [token])
    queue.sync {}
    try await store.asyncWrite(withoutNotifying: [token]) {
      store.create(Ship.self, value: ["D"])
    }
    queue.sync {}
    try store.write { store.create(Ship.self, value: ["E"]) }
    #expect(await heard.following() == "[] [4] []")
    token.invalidate()
  }
}
