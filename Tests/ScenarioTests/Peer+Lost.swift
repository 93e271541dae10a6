import AtollStorage
import Testing

extension Peer {
  /// Returns the ledger's entries: path, value and rule, sorted; identities of list elements as
  /// `e`.
  func lost() throws -> [String] {
    try store.conflicts().map { conflict in
      let path = conflict.path.replacing(/\[[0-9a-f]{8}\.[0-9a-f]{4}:\d+#\d+\]/, with: "[e]")
      return "\(path): \(conflict.losing.value) \(name(of: conflict.rule))"
    }.sorted()
  }

  /// Restores every loss that the ledger has, in one transaction, after which it has none.
  func restoreAllThatWasLost(at seconds: Int64) throws {
    try write(at: seconds) { transaction in
      for conflict in try transaction.store.conflicts() {
        try transaction.store.restoreConflict(conflict.number)
      }
    }
    try #expect(lost() == [])
  }

  private func name(of rule: ConflictRule) -> String {
    switch rule {
    case .laterTime: "laterTime"
    case .greaterAuthor: "greaterAuthor"
    case .deleted: "deleted"
    case .instanceReplaced: "instanceReplaced"
    case .stepDropped: "stepDropped"
    case .elementRemoved: "elementRemoved"
    case .recreated: "recreated"
    }
  }
}

/// Runs a scenario after which every peer's ledger has exactly what is given.
func expectLost(
  _ lost: [String], _ names: [String] = ["A", "B"], write: ([Peer]) throws -> Void
) throws {
  try Scenario(names, write: write) { peer in
    let found = try peer.lost()
    #expect(found == lost)
  }
}
