import AtollStorage
import AtollVocabulary

// A store with owners: its founder, and replicas that became owners, admit the replicas one after the other and remove a few,
// while all of them write. In the end everybody else is admitted, and all are equal: also those that were removed, who
// are not told to go away here.
extension World {
  /// The node whose replica founds the store: not the one that may be malicious.
  static let founder = 1

  /// Has a node admit some replica now and then, if it may, or else ask owners to.
  func admitSomebody(by number: Int) {
    let other = nodes[Int.random(in: 0..<nodes.count, using: &random)]
    let admission: Admission = chance(percent: 20) ? .owner : .writer
    let isAdmitting = chance(percent: 40)
    guard let replica = other.replica else { return }
    if isAdmitting {
      admit(replica, as: admission, by: number)
    } else {
      ask(for: replica, by: number)
    }
  }

  /// Has the founder admit the replicas that are neither admitted nor removed.
  func admitAll() {
    for node in nodes {
      if let replica = node.replica { admit(replica, as: .writer, by: Self.founder) }
    }
  }

  /// Has a node remove some replica that is admitted now and then, if it may; not most of them.
  func removeSomebody(by number: Int) {
    let other = nodes[Int.random(in: 0..<nodes.count, using: &random)]
    guard chance(percent: 15), report.removals < nodes.count / 3, let replica = other.replica else {
      return
    }
    attempt(number, "removing a replica") { node throws(StorageError) in
      guard let file = node.file, try file.isOwner, try file.admission(of: replica) == .writer,
        try node.remove(replica)
      else { return }
      report.removals += 1
      try announce(node)
    }
  }

  /// Has a node change its key now and then, unless it is malicious, or a copy of its file goes on with the former one.
  func rotateKey(of number: Int) {
    guard simulation.rotatesKeys, !isCalm, chance(percent: 25), number != conditions.copied,
      number != conditions.nodeCount, !(simulation.hasForger && number == 0)
    else { return }
    attempt(number, "changing its key", at: [.committing, .flushingCommit]) {
      node throws(StorageError) in
      guard try node.rotateKey() else { return }
      report.rotations += 1
      reportIncarnation(node)
      if !dies(number, at: .committed) { try announce(node) }
    }
  }

  private func ask(for replica: ReplicaID, by number: Int) {
    attempt(number, "asking for an admission") { node throws(StorageError) in
      guard try node.ask(for: replica) else { return }
      report.requests += 1
      try announce(node)
    }
  }

  private func admit(_ replica: ReplicaID, as admission: Admission, by number: Int) {
    attempt(number, "admitting a replica") { node throws(StorageError) in
      guard let file = node.file, try file.isOwner, try !file.isRemoved(replica),
        try node.admit(replica, as: admission)
      else { return }
      report.admissions += 1
      try announce(node)
      for event in try node.recordAdmissions() { answer(number, event) }
    }
  }
}
