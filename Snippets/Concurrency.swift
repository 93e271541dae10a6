// The code of the page "Concurrency". `Tests/HouseTests` sees that every block of the page
// stands here, and `Tests/SnippetTests` runs it.

import Atoll
import Dispatch
import Foundation

final class Country: Object {
  @Persisted(primaryKey: true) var code: String
}

final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name: String
  @Persisted var country: Country?
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("concurrency-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let configuration = Store.Configuration(
  fileURL: folder.appendingPathComponent("airports.atoll"),
  objectTypes: [Airport.self, Country.self])
let store = try Store(configuration: configuration)
let samedan = try store.write {
  store.create(
    Airport.self, value: ["icao": "LSZS", "name": "Samedan", "country": ["code": "CH"]])
}

// An actor.

actor Register {
  private let configuration: Store.Configuration
  private var opened: Store?

  init(_ configuration: Store.Configuration) { self.configuration = configuration }

  private func store() async throws -> Store {
    if let opened { return opened }
    let store = try await Store.open(configuration: configuration)
    // Another call may have opened it meanwhile.
    if let opened { return opened }
    opened = store
    return store
  }

  func rename(_ code: String, to name: String) async throws {
    let store = try await store()
    try await store.asyncWrite {
      store.object(ofType: Airport.self, forPrimaryKey: code)?.name = name
    }
  }

  func airport(_ code: String) async throws -> ObjectSnapshot<Airport>? {
    try await store().object(ofType: Airport.self, forPrimaryKey: code)?.snapshot()
  }
}

// A queue.

let queue = DispatchQueue(label: "airports")
let count = try queue.sync {
  let store = try Store(configuration: configuration, queue: queue)
  return store.objects(Airport.self).count
}
print(count)

// A snapshot.

let register = Register(configuration)
if let airport = try await register.airport("LSZS") {
  print(airport.name, airport.country?.code ?? "nowhere")
}
try await register.rename("LSZS", to: "Engadin")
store.refresh()

// A reference.

let reference = ThreadSafeReference(to: samedan)
let name = try queue.sync {
  let store = try Store(configuration: configuration, queue: queue)
  return store.resolve(reference)?.name
}
print(name ?? "deleted")

// Any thread.

let done = DispatchSemaphore(value: 0)
struct Shown: Sendable {
  @ThreadSafe var airport: Airport?
}

let shown = Shown(airport: samedan)
Thread.detachNewThread {
  print("another thread:", shown.airport?.name ?? "deleted")
  done.signal()
}
await withCheckedContinuation { continuation in
  DispatchQueue.global().async {
    done.wait()
    continuation.resume()
  }
}

// Frozen objects.

let frozen = store.objects(Airport.self).freeze()
try store.write { samedan.name = "Samedan Airport" }
nonisolated(unsafe) let handed = frozen
queue.sync { print("frozen:", handed.map(\.name)) }
if let live = frozen.first?.thaw() { print("live:", live.name) }
try frozen.store.keepingVersion {
  for airport in frozen { print(airport.name, airport.country?.code ?? "nowhere") }
}

// Deleted objects.

try store.write { store.delete(samedan) }
do {
  print(try samedan.$name.value())
} catch {
  print(error.code)
}
