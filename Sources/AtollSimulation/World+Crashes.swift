import AtollReplication
import AtollStorage
import AtollVocabulary
import AtollWire

// Nodes die: at any moment, or at a point of their work that was named before; with their process,
// or with the power of the machine.

extension World {
  func crash() {
    guard let node = nodes.filter(\.isUp).randomElement(using: &random) else { return }
    guard chance(percent: 70) else { return die(node.number, at: nil) }
    let point = FaultPoint.allCases.randomElement(using: &random) ?? .writing
    node.armed = point
    switch point {
    case .writing:
      node.beginToWrite()
      die(node.number, at: point)
    case .opening:
      die(node.number, at: nil)
      node.armed = point
    case .movingLog, .flushingStore:
      attempt(node.number, "moving its log", at: [point]) { node throws(StorageError) in
        try node.file?.checkpoint()
      }
    case .truncating: truncate(node.number)
    case .committing, .flushingCommit, .committed, .applying, .flushingBatch, .applied, .sending,
      .sent, .acknowledging, .acknowledged, .savingProgress, .makingSnapshot, .sendingPages,
      .keepingPages, .keptPages, .installing, .flushingSnapshot, .installed, .keepingBackfill:
      break
    }
  }

  /// Kills a node that was to die here; whether it did.
  func dies(_ number: Int, at point: FaultPoint) -> Bool {
    guard nodes[number].armed == point else { return false }
    die(number, at: point)
    return true
  }

  /// The point before a frame leaves, and the one after.
  static func points(of frame: Frame) -> (before: FaultPoint, after: FaultPoint)? {
    switch frame {
    case .changesets, .expedited, .chunk: (.sending, .sent)
    case .progress: (.acknowledging, .acknowledged)
    case .hello, .goodbye, .chunkReceipt, .request, .keepAlive, .digest, .prune, .acknowledgements,
      .question, .answer, .pair, .paired, .declined, .credit, .clock, .snapshotOffer,
      .snapshotRequest, .snapshotWanted,
      .snapshotPage, .backfillRequest, .backfill, .localHello, .committed:
      nil
    }
  }

  /// Ends a node, and what it was connected with; it comes back a little later.
  func die(_ number: Int, at point: FaultPoint?) {
    let node = nodes[number]
    if let point { report.faultPoints.insert(point) }
    report.crashes += 1
    tear(number)
    let losesPower = conditions.durability == .full && chance(percent: 50)
    if losesPower { report.powerCuts += 1 }
    do {
      try node.crash(losesPower: losesPower)
    } catch {
      violate(.storage, "node \(number), losing its power: \(error)")
    }
    exchangeFile(of: node)
    if chance(percent: 30), node.version < Workload.versions.upperBound {
      node.version = Int.random(in: node.version + 1...Workload.versions.upperBound, using: &random)
      report.upgrades += 1
    }
    schedule.add(.restart(node: number), at: now.advanced(by: chance(upTo: .seconds(5))))
  }

  /// Ends every stream of a node; the others hear of it, or do not.
  private func tear(_ number: Int) {
    let isSilent = chance(percent: 30)
    for place in network.connections.indices {
      guard let own = network.connections[place].ends.firstIndex(where: { $0.node == number }),
        network.connections[place].ends[own].isOpen
      else { continue }
      network.connections[place].ends[own].isOpen = false
      if !isSilent {
        schedule.add(.closing(connection: place, end: 1 - own), at: now.advanced(by: delay()))
      }
    }
  }

  /// While a node is down somebody copies its file, or restores an old copy.
  private func exchangeFile(of node: SimulatedNode) {
    do {
      if simulation.rollsDisksBack, node.hasBackup, chance(percent: 60) {
        try node.putBack()
        report.disksPutBack += 1
      } else if node.hasBackup, chance(percent: 40) {
        try node.restore()
        report.restorations += 1
      } else if chance(percent: simulation.rollsDisksBack ? 60 : 30) {
        try node.backUp()
      }
    } catch {
      violate(.storage, "node \(node.number), copying its file: \(error)")
    }
  }
}
