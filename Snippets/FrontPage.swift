// The code of README. `Tests/HouseTests` sees that it stands here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

extension URL: @retroactive FailableCustomPersistable {  // a type no database knows, stored as text
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name: String
  @Persisted var website: URL?
  @Persisted var landings: Int
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("front-page-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let storeID = UUID()  // replicas of one store have one id

func open(_ name: String, peers: [String] = [], listen: String? = nil) throws -> Store {
  let file = folder.appendingPathComponent(name)
  var configuration = Store.Configuration(fileURL: file, storeID: storeID)
  configuration.node = .embedded(peers: peers, listen: listen)  // or leave it to `atolld`
  return try Store(configuration: configuration)
}

func address(of store: Store) async throws -> String {
  for try await status in store.sync.statuses {
    if let listening = status.listening { return listening }
  }
  return ""
}

let tower = try open("tower.atoll", listen: "127.0.0.1:0")
let office = try open("office.atoll", peers: [try await address(of: tower)])

try tower.write {
  tower.add(Airport(value: ["icao": "LSZH", "name": "Kloten", "landings": 100]))
}
try await tower.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(30))

try office.sync.pause()  // away for a while; both write on
for (store, landings) in [(tower, 4), (office, 6)] {
  try store.write {
    guard let airport = store.object(ofType: Airport.self, forPrimaryKey: "LSZH") else { return }
    airport.$landings.increment(by: landings)
    airport.website = URL(string: "https://flughafen-zuerich.ch")
  }
}
try office.sync.resume()

let busy = office.objects(Airport.self).where { $0.landings == 110 }
for try await _ in busy.changes where !busy.isEmpty { break }
print(busy.map(\.name), busy.first?.website?.host() ?? "nowhere")
