// The code of the page "Using Atoll in a server". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Visit: Object {
  @Persisted(primaryKey: true) var page: String
  @Persisted(indexed: true) var count: Int
  @Persisted var last = Date()
}

/// The value that a handler gets and sends on, not an object of the store.
struct PageCount: Codable, Sendable {
  var page: String
  var count: Int
}

actor Visits {
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

  func note(_ page: String) async throws {
    let store = try await store()
    try await store.asyncWrite {
      let visit =
        store.object(ofType: Visit.self, forPrimaryKey: page)
        ?? store.create(Visit.self, value: ["page": page])
      visit.$count.increment()
      visit.last = Date()
    }
  }

  func top(_ limit: Int) async throws -> [PageCount] {
    let store = try await store()
    store.refresh()
    return store.objects(Visit.self).sorted(by: \.count, ascending: false).prefix(limit)
      .map { PageCount(page: $0.page, count: $0.count) }
  }

  func close() {
    opened?.close()
    opened = nil
  }
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("server-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let configuration = Store.Configuration(
  fileURL: folder.appendingPathComponent("visits.atoll"), objectTypes: [Visit.self])

// One actor writes.

let visits = Visits(configuration)
try await withThrowingTaskGroup(of: Void.self) { requests in
  for number in 0..<300 {
    requests.addTask { try await visits.note(number % 3 == 0 ? "/about" : "/") }
  }
  try await requests.waitForAll()
}
print(try await visits.top(2).map { "\($0.page) \($0.count)" })

// Several read.

struct Readers {
  private let actors: [Visits]

  init(_ configuration: Store.Configuration, count: Int) {
    actors = (0..<count).map { _ in Visits(configuration) }
  }

  /// One of them, as good as any.
  var any: Visits { actors[Int.random(in: actors.indices)] }

  func close() async {
    for actor in actors { await actor.close() }
  }
}

let readers = Readers(configuration, count: 4)
let leaders = try await withThrowingTaskGroup(of: [PageCount].self) { requests in
  for _ in 0..<100 { requests.addTask { try await readers.any.top(1) } }
  var leaders: Set<String> = []
  for try await answer in requests { leaders.formUnion(answer.map(\.page)) }
  return leaders
}
print(leaders)

// The end.

await readers.close()
await visits.close()
