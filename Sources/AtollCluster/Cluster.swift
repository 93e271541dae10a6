import AtollStorage
import AtollVocabulary
import Foundation

/// Three daemons in a line: A and C are linked to B, and never to each other.
struct Cluster: Sendable {
  let a: DaemonNode
  let b: DaemonNode
  let c: DaemonNode
  let cleanUp: CleanUp

  var nodes: [DaemonNode] { [a, b, c] }

  /// Makes the three stores in a folder of their own, with one id.
  init(in folder: URL, cleanUp: CleanUp) throws {
    cleanUp.add(folder)
    let storeID = StoreID(unowned: { .random(in: 0 ... .max) })
    func node(_ name: String) throws -> DaemonNode {
      try DaemonNode(name: name, in: folder, storeID: storeID, cleanUp: cleanUp)
    }
    a = try node("A")
    b = try node("B")
    c = try node("C")
    self.cleanUp = cleanUp
  }

  /// A new folder for temporary things.
  static func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Starts the three; B connects to the other two.
  func start() throws {
    try a.start(peers: [])
    try c.start(peers: [])
    try b.start(peers: [a.port, c.port])
  }

  /// Ends the three.
  ///
  /// - Returns: the names of those that had to be killed.
  @discardableResult
  func terminate() -> [String] { nodes.filter { !$0.terminate() }.map(\.name) }

  /// Waits until all three have applied the same changesets, A's and C's all included.
  ///
  /// Call it when nobody writes any more.
  func waitUntilEqual(within bound: Duration) throws {
    let files = try nodes.map { node in
      try StoreFile.open(node.storePath, options: StoreOptions(isReadOnly: true, mayCreate: false))
    }
    defer { for file in files { file.close() } }
    let vectors = { try files.map { try $0.appliedVector() } }
    let isReached = try Bounded.wait(bound) { try Set(vectors()).count == 1 ? true : nil }
    guard isReached ?? false else {
      throw ClusterError.notConverged(waited: bound, vectors: try vectors().map(\.description))
    }
  }
}
