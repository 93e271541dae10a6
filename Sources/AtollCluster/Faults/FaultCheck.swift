import Atoll
import Foundation

/// Looks at the stores after a run, one by one and against each other.
struct FaultCheck {
  let nodes: [FaultyNode]
  /// True if all stores have applied the same changesets in the end.
  let isEqual: Bool
  let cleanUp: CleanUp

  /// A promise that does not name everything is enough to go on with.
  private static let named = 5

  /// The promises that were not kept, in words.
  func broken() throws -> [String] {
    var broken = nodes.flatMap { $0.writers.flatMap(\.broken) }
    if !isEqual { broken.append("the nodes have not come to hold the same in time") }
    for node in nodes {
      if node.unexpectedEnds > 0 {
        broken.append("the daemon of \(node.name) ended \(node.unexpectedEnds) times by itself")
      }
      broken += try lost(at: node).map { "\(node.name): \($0)" }
      broken += try unsound(node).map { "\(node.name): \($0)" }
    }
    if isEqual, let difference = NodeReport.difference(try nodes.map { try NodeReport($0.daemon) })
    {
      broken.append(difference)
    }
    return broken
  }

  /// Acknowledged transactions that are not there, and what is there in part.
  private func lost(at node: FaultyNode) throws -> [String] {
    let store = try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: node.daemon.storePath), isReadOnly: true,
        objectTypes: WorkModel.classes))
    var broken = WorkModel.broken(in: store)
    let there = Set(store.objects(WorkEntry.self).map(\.id))
    for writer in nodes.flatMap(\.writers) where writer.acknowledged > 0 {
      let lost = (1...writer.acknowledged).filter { number in
        !there.contains(WorkModel.entryID(writer.name, number))
          && !writer.excused.contains { $0.contains(number) }
      }
      guard !lost.isEmpty else { continue }
      let names = lost.prefix(Self.named).map(String.init).joined(separator: ", ")
      broken.append(
        "\(lost.count) acknowledged transactions of \(writer.name) are lost, first \(names)")
    }
    return broken
  }

  private func unsound(_ node: FaultyNode) throws -> [String] {
    let verify = try Program(
      Program.sibling("atoll"), ["verify", node.daemon.storePath], name: "atoll verify",
      cleanUp: cleanUp)
    let (code, lines) = try verify.end(within: .seconds(120))
    return code == 0 ? [] : lines.prefix(Self.named).map { "verify: \($0)" }
  }
}
