// The code of the page "Counters and conflicts". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Post: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var likes: Int
  @Persisted var tags: MutableSet<String>
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("conflicts-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let storeID = UUID()

func open(_ name: String, peers: [String] = [], listen: String? = nil) throws -> Store {
  var configuration = Store.Configuration(
    fileURL: folder.appendingPathComponent(name), storeID: storeID)
  configuration.node = .embedded(peers: peers, listen: listen)
  return try Store(configuration: configuration)
}

func address(of store: Store) async throws -> String {
  for try await status in store.sync.statuses {
    if let listening = status.listening { return listening }
  }
  return ""
}

// Two replicas that write while they do not hear of each other.

let desk = try open("desk.atoll", listen: "127.0.0.1:0")
let phone = try open("phone.atoll", peers: [try await address(of: desk)])
try desk.write {
  desk.add(Post(value: ["id": 1, "title": "Draft", "likes": 10]))
}
try await desk.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(30))
try await phone.sync.waitForDownload(timeout: .seconds(30))
try phone.sync.pause()
for try await status in phone.sync.statuses
where !status.peers.contains(where: \.isConnected) { break }

func post(in store: Store) throws -> Post {
  guard let post = store.object(ofType: Post.self, forPrimaryKey: 1) else { exit(1) }
  return post
}

// Counting.

let (onDesk, onPhone) = (try post(in: desk), try post(in: phone))
try desk.write {
  onDesk.$likes.increment(by: 2)
  onDesk.tags.insert("swift")
}
try phone.write {
  onPhone.$likes.increment()
  onPhone.tags.insert("linux")
}

// Assigning.

try desk.write { onDesk.title = "On islands" }
try await Task.sleep(for: .milliseconds(20))
try phone.write { onPhone.title = "Of islands" }

// Merging.

try phone.sync.resume()
for try await _ in desk.objects(Post.self).where({ $0.title == "Of islands" }).changes
where onDesk.title == "Of islands" { break }
print(onDesk.likes, Array(onDesk.tags.sorted()), onDesk.title)

// Lost writes.

for conflict in desk.conflicts {
  print(conflict.className, conflict.propertyPath, conflict.rule)
  print("lost: \(conflict.losing.text), kept: \(conflict.winning.text)")
}
if let conflict = desk.conflicts.first {
  try desk.write {
    try desk.conflicts.restore(conflict)
  }
}
print(onDesk.title, desk.conflicts.count)
