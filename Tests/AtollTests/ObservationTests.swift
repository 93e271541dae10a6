import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// The reports of an observer, in order; a test waits for the next one, with a bound.
final class Witness: Sendable {
  struct Report: Equatable {
    var codes: [String]
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
  }

  private let heard = Heard<Report>()

  func note(_ change: ResultsChange<Results<Airport>>) {
    switch change {
    case .initial(let results): add(Report(codes: results.map(\.icao)))
    case .update(let results, let deletions, let insertions, let modifications):
      add(
        Report(
          codes: results.map(\.icao), deletions: deletions, insertions: insertions,
          modifications: modifications))
    case .error(let error): add(Report(codes: ["\(error)"]))
    }
  }

  private func add(_ report: Report) { heard.note(report) }

  func next(within seconds: TimeInterval = 10) -> Report? { heard.next(within: seconds) }
}

@Suite struct ObservationTests {
  let folder: TemporaryStore
  let store: Store
  let witness = Witness()
  let queue = DispatchQueue(label: "observer")

  init() throws {
    folder = TemporaryStore()
    store = try folder.open()
    try store.fill()
  }

  private func observe(_ results: Results<Airport>) -> NotificationToken {
    results.observe(on: queue) { [witness] in witness.note($0) }
  }

  private func airport(_ code: String) -> Airport? {
    store.object(ofType: Airport.self, forPrimaryKey: code)
  }

  @Test func `an observer gets the objects there are, then what changed`() throws {
    let token = observe(store.objects(Airport.self))
    #expect(witness.next() == .init(codes: ["LSZH", "LSZS", "LFPG", "XXXX"]))
    try store.write {
      airport("LSZS")?.name = "Engadin"
      if let paris = airport("LFPG") { store.delete(paris) }
      store.add(Airport("NEW", "New"))
    }
    #expect(
      witness.next()
        == .init(
          codes: ["LSZH", "LSZS", "XXXX", "NEW"], deletions: [2], insertions: [3],
          modifications: [1]))
    token.invalidate()
  }

  @Test func `an observer of a filter hears of what enters and leaves it`() throws {
    let token = observe(
      store.objects(Airport.self).where { $0.country.code == "CH" }.sorted(by: \.name))
    #expect(witness.next()?.codes == ["LSZS", "LSZH"])
    try store.write { airport("LSZS")?.country = nil }
    #expect(witness.next() == .init(codes: ["LSZH"], deletions: [0]))
    try store.write { airport("XXXX")?.country = airport("LSZH")?.country }
    #expect(witness.next() == .init(codes: ["XXXX", "LSZH"], insertions: [0]))
    token.invalidate()
  }

  @Test func `an observer is not called for what does not concern it`() throws {
    let token = observe(store.objects(Airport.self))
    #expect(witness.next()?.codes.count == 4)
    try store.write { store.create(Country.self, value: ["IT"]) }
    try store.write { airport("XXXX")?.name = "Somewhere" }
    #expect(witness.next()?.modifications == [3])
    token.invalidate()
  }

  @Test func `an observer hears of commits of another store of the file`() throws {
    let token = observe(store.objects(Airport.self))
    #expect(witness.next() != nil)
    let other = try folder.open()
    try other.write { other.add(Airport("OTHER", "Other")) }
    #expect(witness.next()?.insertions == [4])
    token.invalidate()
  }

  @Test func `an observer hears of commits of another process`() async throws {
    let token = observe(store.objects(Airport.self))
    #expect(witness.next() != nil)
    let path = folder.file.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let configuration = Store.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: Airport.types)
      let store = try Store(configuration: configuration)
      try store.write { store.add(Airport("OTHER", "Other")) }
    }
    #expect(witness.next()?.insertions == [4])
    token.invalidate()
  }

  @Test func `an invalidated token ends the calls`() throws {
    let token = observe(store.objects(Airport.self))
    #expect(witness.next() != nil)
    token.invalidate()
    try store.write { store.add(Airport("NEW", "New")) }
    let second = Witness()
    let other = store.objects(Airport.self).observe(on: queue) { second.note($0) }
    #expect(second.next() != nil)
    #expect(witness.next(within: 0) == nil)
    other.invalidate()
  }

  @Test func `changes on the store's own queue come with the store's own results`() throws {
    let queue = DispatchQueue(label: "store")
    nonisolated(unsafe) let store = try Store(
      configuration: folder.configuration, queue: queue)
    let witness = witness
    let isOwn = DispatchSemaphore(value: 0)
    let token = queue.sync {
      store.objects(Airport.self).observe { change in
        if case .initial(let results) = change, results.store === store { isOwn.signal() }
        witness.note(change)
      }
    }
    #expect(isOwn.wait(timeout: .now() + 10) == .success)
    try queue.sync { try store.write { store.add(Airport("NEW", "New")) } }
    #expect(witness.next()?.codes.count == 4)
    #expect(witness.next()?.insertions == [4])
    token.invalidate()
  }

  @Test @MainActor func `changes come as an asynchronous sequence`() async throws {
    let store = try folder.open()
    let other = try folder.open()
    var changes = store.objects(Airport.self).changes.makeAsyncIterator()
    guard case .initial(let results)? = try await changes.next() else {
      Issue.record("The first change is not the initial one.")
      return
    }
    #expect(results.count == 4)
    try other.write { other.add(Airport("NEW", "New")) }
    guard case .update(let updated, let deletions, let insertions, _)? = try await changes.next()
    else {
      Issue.record("The second change is not an update.")
      return
    }
    #expect(updated.count == 5)
    #expect(deletions == [])
    #expect(insertions == [4])
  }
}
