// The code of the page "Knowing what is safe". `Tests/HouseTests` sees that every block of the page
// stands here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Order: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: String
}

/// Returns the address at which a node listens, as soon as it does.
func listeningAddress(of sync: Sync) async throws -> String {
  for try await status in sync.statuses {
    if let listening = status.listening { return listening }
  }
  return ""
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("knowing-what-is-safe-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let url = folder.appendingPathComponent("shop.atoll")
let storeID = UUID()

// An application elsewhere, which others connect to.

var elsewhere = Store.Configuration(
  fileURL: folder.appendingPathComponent("elsewhere.atoll"), storeID: storeID)
elsewhere.node = .embedded(peers: [], listen: "127.0.0.1:0")
let other = try Store(configuration: elsewhere)
let address = try await listeningAddress(of: other.sync)

// This one, which exchanges by itself.

var configuration = Store.Configuration(fileURL: url, storeID: storeID)
configuration.node = .embedded(peers: [address])
let store = try Store(configuration: configuration)

// Waiting.

try store.write {
  store.add(Order(value: ["number": 1, "text": "three chairs"]))
}
try await store.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(30))

// Missing replicas.

do {
  try await store.sync.wait(for: .peer("backup"), timeout: .milliseconds(100))
} catch let error as Sync.WaitError {
  for missing in error.missing { print(missing) }
}

// Looking.

let status = try store.sync.status()
for peer in status.peers {
  print(peer.name ?? "unnamed", peer.isConnected ? "connected" : "away")
}

// Pausing.

try store.sync.pause()
print(try store.sync.status().pausedSince == nil ? "exchanging" : "paused")
try store.sync.resume()

// Pairing.

let homeURL = folder.appendingPathComponent("home.atoll")
let homeKey = folder.appendingPathComponent("home.pem")
let phoneURL = folder.appendingPathComponent("phone.atoll")
let phoneKey = folder.appendingPathComponent("phone.pem")

var home = Store.Configuration(fileURL: homeURL, storeID: storeID)
home.node = .embedded(
  peers: [], listen: "127.0.0.1:0", key: homeKey, security: .always)
let homeStore = try Store(configuration: home)
let code = try homeStore.sync.makePairingCode()

let homeAddress = try await listeningAddress(of: homeStore.sync)

var phone = Store.Configuration(fileURL: phoneURL, storeID: storeID)
phone.node = .embedded(peers: [], key: phoneKey, security: .always)
let phoneStore = try Store(configuration: phone)
let trusted = try await phoneStore.sync.pair(with: code, at: homeAddress)
try await phoneStore.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(30))

let known = try homeStore.sync.trustedNodes()
print(known.count, trusted.identity == (try homeStore.sync.identity()))
