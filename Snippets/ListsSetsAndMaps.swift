// The code of the page "Lists, sets and maps". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Stop: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var passengers: Int
}

final class Leg: EmbeddedObject {
  @Persisted var minutes: Int
}

final class Line: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var stops: List<Stop>
  @Persisted var legs: List<Leg>
  @Persisted var tags: MutableSet<String>
  @Persisted var fares: Map<String, Double>
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("collections-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("lines.atoll")))

let line = try store.write {
  store.create(
    Line.self,
    value: [
      "number": 4,
      "stops": [["name": "Harbour"], ["name": "Market"]],
      "tags": ["night", "tram"],
      "fares": ["adult": 2.5, "child": 1.25],
    ])
}

// Lists.

try store.write {
  let station = store.create(Stop.self, value: ["name": "Station", "passengers": 900])
  line.stops.append(station)
  line.stops.insert(Stop(value: ["name": "Museum"]), at: 1)
  line.stops.move(from: 3, to: 0)
  line.stops.remove(at: 3)
}
print(line.stops.map(\.name))

try store.write {
  line.legs.append(objectsIn: [4, 7].map { Leg(value: ["minutes": $0]) })
  line.legs[0].minutes += 1
}
print(line.legs.map(\.minutes), line.legs.sum(of: \.minutes))

// Sets.

try store.write {
  line.tags.insert("tram")
  line.tags.insert("accessible")
  line.tags.remove("night")
}
print(line.tags.contains("night"), Array(line.tags.sorted()))

// Maps.

try store.write {
  line.fares["senior"] = 1.75
  line.fares["child"] = nil
}
print(line.fares["senior"] ?? 0, line.fares.keys.sorted())

// Asking.

let lines = store.objects(Line.self)
print(lines.where { $0.stops.name == "Museum" }.count)
print(lines.where { ($0.stops.passengers > 500 && $0.stops.name == "Station").count > 0 }.count)
print(lines.where { $0.tags.contains("tram") && $0.fares["senior"] < 2 }.count)
print(line.stops.where { $0.passengers > 500 }.map(\.name))

// A whole new content.

try store.write {
  line.stops.removeAll()
  line.stops.append(objectsIn: store.objects(Stop.self).sorted(by: \.name))
}
print(line.stops.map(\.name))
