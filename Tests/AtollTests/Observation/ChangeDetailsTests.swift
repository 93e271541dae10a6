import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// The origin of a change, moved elements, and observers that are spared.
@Suite struct ChangeDetailsTests {
  let harbours: HarbourStore
  let store: Store
  let queue = DispatchQueue(label: "details observer")
  let heard = Heard<ChangeDetails>()

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private func observe() -> NotificationToken {
    store.objects(Harbour.self).observe(on: queue) { [heard] _, details in heard.note(details) }
  }

  @Test func `a change by this process is local, whichever store made it`() throws {
    let token = observe()
    #expect(heard.next()?.origins == [])
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next()?.origins == [.local])
    let other = try harbours.folder.open()
    try other.write { other.create(Harbour.self, value: ["code": "NEW"]) }
    #expect(heard.next()?.origins == [.local])
    token.invalidate()
  }

  @Test func `a change by another process is that process's`() async throws {
    let token = observe()
    #expect(heard.next() != nil)
    let path = harbours.folder.file.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try Store(
        configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: Harbour.types))
      try store.write { store.create(Harbour.self, value: ["code": "NEW"]) }
    }
    #expect(heard.next()?.origins == [.process])
    token.invalidate()
  }

  @Test func `a change that came from a peer names its author`() throws {
    let (id, peer, here) = (UUID(), try Replica(Harbour.types), try Replica(Harbour.types))
    let theirs = try peer.open(id)
    try theirs.write { theirs.create(Harbour.self, value: ["code": "NEW", "name": "N"]) }
    let ours = try here.open(id)
    let token = ours.objects(Harbour.self).observe(on: queue) { [heard] _, details in
      heard.note(details)
    }
    #expect(heard.next()?.origins == [])
    try here.receive(from: peer)
    let file = try StoreFile.open(peer.folder.file.path)
    defer { file.close() }
    #expect(heard.next()?.origins == [.peer(author: "\(file.author)")])
    token.invalidate()
  }

  @Test func `a move in a list is told as a move, besides its deletion and insertion`() throws {
    let piers = harbours.harbour("KIEL").piers
    let token = piers.observe(on: queue) { [heard] _, details in heard.note(details) }
    #expect(heard.next()?.moves == [])
    try store.write { piers.move(from: 0, to: 2) }
    #expect(heard.next()?.moves.map { [$0.from, $0.to] } == [[0, 2]])
    try store.write { piers.append(4) }
    #expect(heard.next()?.moves == [])
    token.invalidate()
  }

  @Test func `an object that changes its place in an order has moved`() throws {
    let sorted = store.objects(Harbour.self).sorted(by: \.name)
    let token = sorted.observe(on: queue) { [heard] _, details in heard.note(details) }
    #expect(heard.next() != nil)
    try store.write { harbours.harbour("BREST").name = "Zbrest" }
    #expect(heard.next()?.moves.count == 1)
    token.invalidate()
  }

  @Test @MainActor func `a sequence of changes tells the details too`() async throws {
    let store = try harbours.folder.open()
    var changes = store.objects(Harbour.self).changes.detailed.makeAsyncIterator()
    #expect(try await changes.next()?.details.origins == [])
    try store.write { store.create(Harbour.self, value: ["code": "NEW"]) }
    #expect(try await changes.next()?.details.origins == [.local])
  }

  // MARK: Without notifying

  @Test func `an observer is not told of a write that spares it, and others are`() throws {
    let (spared, told) = (Heard<[Int]>(), Heard<[Int]>())
    let ships = store.objects(Ship.self)
    let tokens = [spared, told].map { heard in
      ships.observe(on: queue) { change in
        if case .update(_, let deletions, let insertions, let modifications) = change {
          heard.note(deletions + insertions + modifications)
        } else {
          heard.note([])
        }
      }
    }
    #expect(spared.next() == [])
    #expect(told.next() == [])
    try store.write(withoutNotifying: [tokens[0]]) { store.create(Ship.self, value: ["Neu"]) }
    #expect(told.next() == [2])
    try store.write { harbours.ship("Neu").crew = 3 }
    #expect(told.next() == [2])
    #expect(spared.next() == [2])
    for token in tokens { token.invalidate() }
  }

  @Test func `a write that fails spares nothing`() throws {
    let token = observe()
    #expect(heard.next() != nil)
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try store.write(withoutNotifying: [token]) {
        harbours.harbour("KIEL").name = "K"
        throw Refused()
      }
    }
    try store.write(withoutNotifying: [token]) {}
    try store.write { harbours.harbour("KIEL").name = "L" }
    #expect(heard.next()?.origins == [.local])
    token.invalidate()
  }

  @Test func `what others did before is told before a write that spares the store's observer`()
    throws
  {
    let queue = DispatchQueue(label: "own queue")
    nonisolated(unsafe) let own = try Store(
      configuration: harbours.folder.configuration, queue: queue)
    let heard = Heard<[Int]>()
    let token = queue.sync {
      own.objects(Ship.self).observe { change in
        if case .update(_, _, let insertions, _) = change { heard.note(insertions) }
        if case .initial = change { heard.note([]) }
      }
    }
    #expect(heard.next() == [])
    try queue.sync {
      // The queue is kept busy, so that the observer cannot have looked before the write.
      try store.write { store.create(Ship.self, value: ["Theirs"]) }
      try own.write(withoutNotifying: [token]) { own.create(Ship.self, value: ["Ours"]) }
    }
    #expect(heard.next() == [2])
    #expect(heard.next(within: 0) == nil)
    token.invalidate()
  }
}
