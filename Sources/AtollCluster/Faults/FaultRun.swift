import AtollSimulation
import AtollStorage
import AtollVocabulary
import Foundation

/// Real daemons and applications, a network that fails, and what is promised all the same.
struct FaultRun {
  /// The settings of a run.
  struct Settings: Codable, Sendable {
    var nodes: Int
    var topology: Topology
    var seconds: Double
    var faults: [FaultKind]
    /// Applications beside each daemon.
    var writers: Int
    /// Transactions of each application in a second, at most.
    var rate: Double
    var seed: UInt64
  }

  let settings: Settings
  let cleanUp: CleanUp
  let say: @Sendable (String) -> Void

  /// The time within which all have to be equal after the last fault, plus the length of the run.
  private static let timeout = Duration.seconds(60)
  private static let tick = 0.05

  /// Everything from the first daemon to the report; afterwards nothing runs any more.
  ///
  /// - Throws: ``ClusterError`` if a program cannot be run; broken promises are in the report.
  func run(in folder: URL) async throws -> FaultReport {
    var random = SeededGenerator(seed: settings.seed)
    let network = try FaultyNetwork()
    let nodes = try makeNodes(in: folder)
    let edges = settings.topology.edges(among: settings.nodes, using: &random)
    let plan = FaultPlan(
      settings.faults, nodes: settings.nodes, seconds: settings.seconds, using: &random)
    do {
      try await start(nodes, edges, network)
      let lag = LagWatch(stores: nodes.map(\.daemon.storePath))
      try await suffer(plan, nodes, network)
      let writing = lag.elapsed
      let equal = try await recover(nodes, network)
      let samples = lag.stop()
      await network.stop()
      return FaultReport(
        settings: settings, nodes: nodes, faults: plan.faults, samples: samples,
        secondsOfWriting: writing, secondsUntilEqual: equal,
        broken: try FaultCheck(nodes: nodes, isEqual: equal != nil, cleanUp: cleanUp).broken())
    } catch {
      await network.stop()
      throw error
    }
  }

  private func makeNodes(in folder: URL) throws -> [FaultyNode] {
    cleanUp.add(folder)
    let storeID = StoreID(unowned: { .random(in: 0 ... .max) })
    return try (0..<settings.nodes).map {
      try FaultyNode(
        number: $0, in: folder, storeID: storeID, settings: settings, cleanUp: cleanUp)
    }
  }

  private func start(
    _ nodes: [FaultyNode], _ edges: [(Int, Int)], _ network: FaultyNetwork
  ) async throws {
    var peers = [[UInt16]](repeating: [], count: nodes.count)
    for (dialer, listener) in edges {
      let daemon = nodes[listener].daemon
      let port = try await network.open(LinkName(dialer: dialer, listener: listener)) {
        daemon.port
      }
      peers[dialer].append(port)
    }
    for (node, ports) in zip(nodes, peers) { try node.daemon.start(peers: ports) }
    for node in nodes { try node.startWriters() }
    let shape = settings.topology.rawValue
    say("\(nodes.count) daemons in a \(shape), \(settings.writers) writers beside each")
  }

  /// Lets the applications write for the time that was asked for, while the plan happens.
  private func suffer(
    _ plan: FaultPlan, _ nodes: [FaultyNode], _ network: FaultyNetwork
  ) async throws {
    let start = ContinuousClock.now
    var events = plan.events[...]
    while case let time = (ContinuousClock.now - start).seconds, time < settings.seconds {
      while let event = events.first, event.time <= time {
        events.removeFirst()
        try await happen(event.fault, event.isBeginning, nodes, network)
      }
      for node in nodes { try node.supervise() }
      try await Task.sleep(for: .seconds(Self.tick))
    }
    for event in events where !event.isBeginning {
      try await happen(event.fault, false, nodes, network)
    }
  }

  private func happen(
    _ fault: PlannedFault, _ isBeginning: Bool, _ nodes: [FaultyNode], _ network: FaultyNetwork
  ) async throws {
    let node = nodes[fault.node]
    let name = "\(fault.kind.rawValue) \(node.name)"
    if isBeginning {
      say("\(String(format: "%6.1f s", fault.begin))  \(name)")
      try node.begin(fault)
    } else {
      try node.end(fault)
    }
    let number = fault.node
    if let condition = condition(of: fault) {
      await network.set(isBeginning ? condition : .healthy) { $0.touches(number) }
    }
  }

  /// Returns the condition of the node's links during a fault.
  private func condition(of fault: PlannedFault) -> LinkCondition? {
    switch fault.kind {
    case .partition: fault.variant.isMultiple(of: 2) ? .silent : .broken
    case .slow:
      .slow(
        delay: .milliseconds(Int(fault.variant % 400)),
        bytesPerSecond: 4_096 << Int(fault.variant / 400 % 8))
    case .kill, .pause, .clock, .diskFull, .restore: nil
    }
  }

  /// Ends the writing and every fault, and waits until all have the same.
  ///
  /// - Returns: seconds; nil if they never had.
  private func recover(
    _ nodes: [FaultyNode], _ network: FaultyNetwork
  ) async throws -> Double? {
    for node in nodes { node.stopWriters() }
    await network.set(.healthy) { _ in true }
    for node in nodes { try node.supervise() }
    let start = ContinuousClock.now
    let timeout = Self.timeout + .seconds(settings.seconds)
    while ContinuousClock.now - start < timeout {
      for node in nodes { try node.supervise() }
      if let vectors = try? nodes.map({ try LagWatch.vector(of: $0.daemon.storePath) }),
        Set(vectors).count == 1
      {
        return (ContinuousClock.now - start).seconds
      }
      try await Task.sleep(for: .seconds(Self.tick))
    }
    return nil
  }
}
