import AtollStorage
import AtollVocabulary
import Foundation

/// The contents of a store file, for comparison with another's.
struct NodeReport {
  let name: String
  let objects: [(class: String, count: Int)]
  let applied: VersionVector
  let digest: String
  /// The output of `atoll export`.
  let export: Data

  /// Reads the file of a node, whether or not its daemon runs.
  init(_ node: DaemonNode) throws {
    let file = try StoreFile.open(
      node.storePath, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    try file.beginRead()
    name = node.name
    objects = try file.counts().filter { !$0.class.isEmbedded }.map { ($0.class.name, $0.objects) }
    applied = try file.appliedVector()
    digest = "\(try file.digest())"
    let path = node.folder.appendingPathComponent("export.jsonl")
    let command = try Program(
      Program.sibling("atoll"), ["export", node.storePath, "--output", path.path],
      name: "atoll export", cleanUp: node.cleanUp)
    try command.waitForExit(within: .seconds(60))
    export = try Data(contentsOf: path)
    try FileManager.default.removeItem(at: path)
  }

  var objectCount: Int { objects.reduce(0) { $0 + $1.count } }

  /// Returns a difference between reports; nil if there is none.
  static func difference(_ reports: [NodeReport]) -> String? {
    guard let first = reports.first else { return nil }
    for other in reports.dropFirst() {
      let pair = "\(first.name) and \(other.name)"
      if first.applied != other.applied { return "version vectors of \(pair) differ" }
      if first.objectCount != other.objectCount { return "numbers of objects of \(pair) differ" }
      if first.digest != other.digest { return "digests of \(pair) differ" }
      if first.export != other.export { return "exports of \(pair) differ" }
    }
    return nil
  }
}
