import AtollVocabulary

// What goes wrong, until it no longer does.

extension World {
  func accident() {
    guard !isCalm else { return }
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: partition()
    case 3..<6: cut()
    case 6..<8: crash()
    case 8..<10: clog()
    default: jump()
    }
    let pause = chance(upTo: .seconds(3))
    schedule.add(.accident, at: now.advanced(by: pause))
  }

  /// Ends everything that is wrong.
  func heal() {
    network.unblockAll()
    for node in nodes where !node.isUp { start(node.number) }
    for node in nodes { node.clock.setSkew(.zero) }
  }

  /// Two groups that do not hear each other, or one that is heard and does not hear.
  private func partition() {
    let isIsolated = nodes.map { _ in Bool.random(using: &random) }
    let isOneWay = chance(percent: 30)
    var pairs: [(Int, Int)] = []
    for source in nodes.indices {
      for target in nodes.indices where isIsolated[source] != isIsolated[target] {
        if !isOneWay || isIsolated[source] { pairs.append((source, target)) }
      }
    }
    network.block(pairs)
    report.partitions += 1
    let end = now.advanced(by: chance(upTo: .seconds(12)))
    schedule.add(.healing(pairs), at: end)
  }

  /// One stream breaks, on both sides or on one.
  private func cut() {
    let open = network.connections.indices.filter {
      network.connections[$0].ends.contains { $0.isOpen }
    }
    guard let place = open.randomElement(using: &random) else { return }
    report.linksCut += 1
    let isHalfOpen = chance(percent: 20)
    for index in 0..<(isHalfOpen ? 1 : 2) {
      schedule.add(.closing(connection: place, end: index), at: now.advanced(by: delay()))
    }
  }

  /// Nothing more arrives over a stream for a while; then it arrives all at once.
  private func clog() {
    guard let place = network.connections.indices.randomElement(using: &random) else { return }
    for index in 0..<2 {
      let pause = chance(upTo: .seconds(5))
      let last = network.connections[place].ends[index].lastArrival
      network.connections[place].ends[index].lastArrival = max(last, now.advanced(by: pause))
    }
  }

  private func crash() {
    let up = nodes.filter(\.isUp)
    guard let node = up.randomElement(using: &random) else { return }
    let isSilent = chance(percent: 30)
    for place in network.connections.indices {
      guard let own = network.connections[place].ends.firstIndex(where: { $0.node == node.number }),
        network.connections[place].ends[own].isOpen
      else { continue }
      network.connections[place].ends[own].isOpen = false
      if !isSilent {
        schedule.add(
          .closing(connection: place, end: 1 - own), at: now.advanced(by: delay()))
      }
    }
    node.crash(isWriting: chance(percent: 30))
    report.crashes += 1
    exchangeFile(of: node)
    let pause = chance(upTo: .seconds(5))
    schedule.add(.restart(node: node.number), at: now.advanced(by: pause))
  }

  /// While a node is down somebody copies its file, or puts an old copy back.
  private func exchangeFile(of node: SimulatedNode) {
    do {
      if node.hasBackup, chance(percent: 40) {
        try node.restore()
        report.restorations += 1
      } else if chance(percent: 30) {
        try node.backUp()
      }
    } catch {
      violate(.storage, "node \(node.number), copying its file: \(error)")
    }
  }

  /// A clock is set, forwards or backwards.
  private func jump() {
    let node = Int.random(in: 0..<nodes.count, using: &random)
    let skew = Duration.milliseconds(Int.random(in: -25_000...25_000, using: &random))
    nodes[node].clock.setSkew(skew)
  }
}
