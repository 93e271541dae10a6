// The code of the page "Class projections". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Country: Object {
  @Persisted(primaryKey: true) var code: String
  @Persisted var name: String
}

final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name: String
  @Persisted var notes: String
  @Persisted var country: Country?
  @Persisted var runways: List<Int>
}

final class AirportRow: Projection<Airport> {
  @Projected(\Airport.icao) var code
  @Projected(\Airport.name) var name
  @Projected(\Airport.country?.name) var country
  @Projected(\Airport.runways.count) var runways
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("projections-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("airports.atoll")))
try store.write {
  store.create(
    Airport.self,
    value: [
      "icao": "LSZS", "name": "Samedan", "country": ["code": "CH", "name": "Switzerland"],
      "runways": [1800],
    ])
  store.create(Airport.self, value: ["icao": "LSZH", "name": "Kloten"])
}

// Reading.

let rows = store.objects(AirportRow.self).sorted(by: \.name)
for row in rows {
  print(row.code, row.name, row.country ?? "nowhere", row.runways)
}

// Writing.

guard let row = rows.where({ $0.icao == "LSZS" }).first else { exit(1) }
try store.write {
  row.name = "Engadin"
}
print(row.rootObject.name)

// Observing.

let (changes, told) = AsyncStream.makeStream(of: String.self)
let queue = DispatchQueue(label: "rows")
let token = row.observe(on: queue) { change in
  if case .change(_, let properties) = change {
    told.yield(properties.map(\.name).joined(separator: ", "))
  }
}
queue.sync {}
try store.write { row.rootObject.notes = "not projected" }
try store.write { row.name = "Engadin Airport" }
for await names in changes {
  print("changed:", names)
  break
}
token.invalidate()

// Another thread.

let reference = ThreadSafeReference(to: row)
let configuration = store.configuration
let thread = Thread {
  do {
    let other = try Store(configuration: configuration)
    print(other.resolve(reference)?.name ?? "gone")
  } catch {
    print(error)
  }
  told.finish()
}
thread.start()
for await _ in changes {}
