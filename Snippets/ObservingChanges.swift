// The code of the page "Observing changes". `Tests/HouseTests` sees that every block of the page
// stands here, and `Tests/SnippetTests` runs it.

import Atoll
import Dispatch
import Foundation
import Observation

final class Country: Object {
  @Persisted(primaryKey: true) var code: String
}

final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name: String
  @Persisted var elevation: Int
  @Persisted var country: Country?
  @Persisted var runways: List<String>
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("observing-changes-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("airports.atoll")))
let samedan = try store.write {
  store.create(
    Airport.self,
    value: ["icao": "LSZS", "name": "Samedan", "elevation": 1707, "runways": ["03", "10"]])
}
let queue = DispatchQueue(label: "observers")

/// The output of observers, which are called on the queue, one after the other.
let said = DispatchSemaphore(value: 0)
@Sendable func say(_ text: String) {
  print(text)
  said.signal()
}
@MainActor func hear(_ count: Int) { for _ in 0..<count { said.wait() } }

// Results.

let high = store.objects(Airport.self).where { $0.elevation > 1000 }.sorted(by: \.name)
let token = high.observe(on: queue) { change in
  switch change {
  case .initial(let airports):
    say("there are \(airports.count)")
  case .update(let airports, let deletions, let insertions, let modifications):
    say("now \(airports.map(\.name)): -\(deletions) +\(insertions) ~\(modifications)")
  case .error(let error):
    say("it ended: \(error)")
  }
}
hear(1)
try store.write { samedan.name = "Engadin" }
hear(1)
token.invalidate()

// In an actor.

let shown = high.observe(on: MainActor.shared) { _, change in
  if case .initial(let airports) = change { print("main actor:", airports.count) }
}
try await Task.sleep(for: .zero)

// Key paths.

let names = high.observe(keyPaths: [\.name, \.country?.code], on: queue) { change in
  if case .update(_, _, _, let modifications) = change { say("renamed: \(modifications)") }
}
queue.sync {}
try store.write { samedan.elevation = 1708 }
try store.write { samedan.name = "Samedan" }
hear(1)
names.invalidate()

// Sections.

let heights = store.objects(Airport.self).sectioned(by: \.elevation)
let columns = heights.observe(on: queue) { change in
  if case .update(let heights, _, let insertions, _, let opened, let closed) = change {
    say("\(heights.allKeys) m: sections +\(opened.count) -\(closed.count), +\(insertions.count)")
  }
}
queue.sync {}
let lugano = try store.write {
  store.create(Airport.self, value: ["icao": "LSZA", "name": "Lugano", "elevation": 279])
}
hear(1)
columns.invalidate()

let section = heights[0].observe(on: queue) { change in
  switch change {
  case .initial(let section): say("at \(section.key) m: \(section.map(\.name))")
  case .update(let section, _, _, _, _, let closed):
    say(closed.isEmpty ? "now \(section.map(\.name))" : "nobody at \(section.key) m any more")
  case .error(let error): say("it ended: \(error)")
  }
}
hear(1)
try store.write { lugano.name = "Agno" }
hear(1)
try store.write { lugano.elevation = 280 }
hear(1)
section.invalidate()

// Objects.

let changes = samedan.observe(on: queue) { change in
  switch change {
  case .change(_, let properties):
    for property in properties {
      say("\(property.name): \(property.oldValue ?? "nil") → \(property.newValue ?? "nil")")
    }
  case .deleted: say("deleted")
  case .error(let error): say("it ended: \(error)")
  }
}
queue.sync {}
try store.write { samedan.elevation = 1707 }
hear(1)
changes.invalidate()

// Details.

let moves = samedan.runways.observe(on: queue) { _, details in
  for move in details.moves { say("from \(move.from) to \(move.to)") }
  for origin in details.origins {
    switch origin {
    case .local: say("by this process")
    case .process: say("by another process")
    case .peer(let author): say("by \(author)")
    }
  }
}
queue.sync {}
try store.write { samedan.runways.insert("21", at: 0) }
hear(1)
try store.write { samedan.runways.move(from: 0, to: 2) }
hear(2)

// Without notifying.

try store.write(withoutNotifying: [moves]) {
  samedan.runways.append("21")
}
moves.invalidate()

// A loop.

for try await change in high.changes {
  if case .initial(let airports) = change { print("loop:", airports.count) }
  break
}

// Swift's own observation.

withObservationTracking {
  _ = samedan.name
} onChange: {
  print("the name changed")
}
try store.write { samedan.name = "Engadin" }
shown.invalidate()
