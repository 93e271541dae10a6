package import AtollVocabulary

/// An operation on a store's replicas that is impossible; refusals of the file are `StorageError`.
package enum OperatingError: Error, Hashable, Sendable {
  case notPending(String, pending: [String])
  case notInRoster(String, known: [String])
  case retiresItself(ReplicaID)
}

extension OperatingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notPending(let text, let pending):
      "accepting \"\(text)\": it names no one node that waits; "
        + (pending.isEmpty
          ? "none does: it has to connect to the daemon here once, or use `atoll peer add`"
          : "waiting are \(pending.joined(separator: ", "))")
    case .notInRoster(let text, let known):
      "removing \"\(text)\": it names no one node of the roster; "
        + (known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))")
    case .retiresItself(let replica):
      "retiring \(replica): this store is that replica, which goes on writing; nobody would wait for it "
        + "any more. Run it on another replica, once this store is gone for good"
    }
  }
}
