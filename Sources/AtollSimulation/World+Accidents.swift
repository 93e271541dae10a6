import AtollVocabulary

// The accidents, until they end.

extension World {
  func accident() {
    guard !isCalm else { return }
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<3: partition()
    case 3..<6: cut()
    case 6..<11: crash()
    case 11..<13: clog()
    case 13: copy()
    default: jump()
    }
    let pause = chance(upTo: .seconds(3))
    schedule.add(.accident, at: now.advanced(by: pause))
  }

  /// Ends everything that is wrong.
  func heal() {
    network.unblockAll()
    for node in nodes { node.armed = nil }
    for node in nodes where !node.isUp && !node.isDormant { start(node.number) }
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

  /// One stream breaks, on both sides or on one; within a frame, if a part of one has arrived.
  private func cut() {
    let open = network.connections.indices.filter {
      network.connections[$0].ends.contains { $0.isOpen }
    }
    let halfway = open.filter {
      network.connections[$0].ends.contains(where: \.isHalfway)
    }
    let pool = halfway.isEmpty || chance(percent: 20) ? open : halfway
    guard let place = pool.randomElement(using: &random) else { return }
    report.linksCut += 1
    let isHalfOpen = chance(percent: 20)
    for index in 0..<(isHalfOpen ? 1 : 2) {
      let pause = halfway.contains(place) ? .zero : delay()
      schedule.add(.closing(connection: place, end: index), at: now.advanced(by: pause))
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

  /// Somebody copies the file of a node that runs, and starts the copy elsewhere.
  private func copy() {
    let node = nodes[conditions.copied]
    guard let copy = nodes.last, copy.isDormant, node.isUp, report.repairs == 0 else { return }
    do {
      try copy.copy(node)
    } catch {
      violate(.storage, "node \(node.number), copying its file: \(error)")
    }
    report.copies += 1
    start(copy.number)
  }

  // MARK: Clocks

  /// A clock that jumps to and fro.
  struct Strobe {
    var node: Int
    var distance: Duration
    var period: Duration
    var isAway = false
    var end: Instant
  }

  /// A clock is set, forwards or backwards; or set again and again.
  private func jump() {
    let node = Int.random(in: 0..<nodes.count, using: &random)
    // Up to 288 s, each power of two alike.
    let largest = Int64(1000) << Int64.random(in: 0...8, using: &random)
    let sign: Int64 = Bool.random(using: &random) ? 1 : -1
    let distance = Duration.milliseconds(
      sign * min(288_000, Int64.random(in: largest / 2...largest * 9 / 8, using: &random)))
    guard chance(percent: 30) else { return nodes[node].clock.setSkew(distance) }
    flicker(
      Strobe(
        node: node, distance: distance,
        period: .milliseconds(Int64.random(in: 1...1000, using: &random)),
        end: now.advanced(by: chance(upTo: .seconds(8)))))
  }

  func flicker(_ strobe: Strobe) {
    guard !isCalm else { return }
    var strobe = strobe
    strobe.isAway = !strobe.isAway && now < strobe.end
    nodes[strobe.node].clock.setSkew(strobe.isAway ? strobe.distance : .zero)
    if now < strobe.end { schedule.add(.strobe(strobe), at: now.advanced(by: strobe.period)) }
  }
}
