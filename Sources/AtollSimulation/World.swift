import AtollChanges
import AtollReplication
import AtollSQLite
import AtollStorage
import AtollVocabulary
import AtollWire

/// Everything there is in a run, and the loop that moves it.
final class World {
  let simulation: Simulation
  let conditions: Conditions
  var now = Instant(nanoseconds: 0)
  var random: SeededGenerator
  var schedule = Schedule<Occurrence>()
  var nodes: [SimulatedNode]
  var network: Network
  var trace = TraceHash()
  var report: SimulationReport
  /// True if accidents have ended.
  var isCalm = false
  var writesLeft: Int
  /// The end of the accidents.
  var calmAt: Instant
  /// True if all nodes have become equal after the last accident.
  var isDone = false
  var recent = RecentEvents()
  /// Shared by all links, as a loop's are.
  let compression = Compression()
  /// Bytes of changesets sent, before compression.
  var changesetBytes = 0
  var changesetBytesAtCalm = 0

  /// - Throws: What SQLite says if it takes no more disks.
  init(_ simulation: Simulation, in folder: TemporaryFolder) throws {
    self.simulation = simulation
    var random = SeededGenerator(seed: simulation.seed)
    var conditions = Conditions(
      nodes: simulation.nodes, transactions: simulation.transactions, using: &random)
    if !simulation.takesSnapshots || simulation.rollsDisksBack && !simulation.cutsWhileRollingBack {
      conditions.doWithoutSnapshots()
    }
    let founder = simulation.hasOwners ? ReplicaKey(random: { random.next() }) : nil
    let storeID =
      founder.map { StoreID(foundedBy: $0.replica) } ?? StoreID(unowned: { random.next() })
    nodes = try (0...conditions.nodeCount).map { number in
      let isCopy = number == conditions.nodeCount
      let original = isCopy ? conditions.copied : number
      let peers = conditions.edges.filter { $0.0 == original }.map { World.peer($0.1) }
      let clock = VirtualClock(skew: conditions.skews[original], seed: random.next())
      let node = try SimulatedNode(
        number: number, folder: folder.path, storeID: storeID,
        key: number == World.founder ? founder : nil,
        peers: isCopy ? [World.peer(original)] + peers : peers, clock: clock,
        durability: simulation.sabotage == .unflushed ? .none : conditions.durability,
        version: conditions.versions[number], isBuiltIn: simulation.application == nil,
        snapshotChangesets: conditions.snapshotChangesets, partBytes: simulation.partBytes)
      node.isDormant = isCopy
      return node
    }
    self.conditions = conditions
    self.random = random
    network = Network(nodeCount: nodes.count)
    report = SimulationReport(
      seed: simulation.seed, nodes: conditions.nodeCount, topology: conditions.topology.rawValue,
      command: simulation.command)
    writesLeft = conditions.transactions
    calmAt = Instant(nanoseconds: 0).advanced(by: conditions.activePhase)
  }

  static func peer(_ node: Int) -> PeerID { PeerID("node-\(node)") }

  func run() -> SimulationReport {
    for node in nodes where !node.isDormant {
      guard node.number == conditions.late else { start(node.number); continue }
      schedule.add(.restart(node: node.number), at: now.advanced(by: chance(upTo: .seconds(8))))
    }
    schedule.add(.write, at: now.advanced(by: .milliseconds(10)))
    schedule.add(.accident, at: now.advanced(by: .milliseconds(500)))
    schedule.add(.check, at: now.advanced(by: .seconds(2)))
    schedule.add(.calm, at: calmAt)
    if conditions.cutsLogs { schedule.add(.truncation, at: now.advanced(by: .seconds(4))) }
    while report.violations.isEmpty, let (instant, occurrence) = schedule.next() {
      now = max(now, instant)
      for node in nodes { node.clock.advance(to: now) }
      trace.combine(now.nanoseconds)
      recent.add(occurrence, at: now)
      handle(occurrence)
      if isDone { break }
    }
    conclude()
    if !report.violations.isEmpty { report.events = recent.lines }
    for node in nodes where node.isUp { try? node.crash(losesPower: false) }
    return report
  }

  private func handle(_ occurrence: Occurrence) {
    switch occurrence {
    case .event(let node, let life, let event):
      if nodes[node].life == life { deliver(event, to: node) }
    case .timer(let node, let life, let count):
      if nodes[node].life == life, nodes[node].timerCount == count { deliver(.timer, to: node) }
    case .opening(let attempt): open(attempt)
    case .arrival(let connection, let end, let piece): arrive(connection, end, piece)
    case .closing(let connection, let end): close(connection, end)
    case .write: write()
    case .accident: accident()
    case .strobe(let strobe): flicker(strobe)
    case .healing(let pairs): network.unblock(pairs)
    case .restart(let node):
      guard !nodes[node].isUp else { return }
      start(node)
      if node == conditions.late { armForSnapshot(node) }
    case .truncation: truncateSomewhere()
    case .check: check()
    case .calm: calm()
    }
  }

  /// Gives an event to a node's engine and performs what it answers.
  func deliver(_ event: Event, to node: Int) {
    let life = nodes[node].life
    guard let actions = nodes[node].engine?.handle(event, at: now) else { return }
    trace.combine(UInt64(node))
    // It may die while it performs one.
    for action in actions where nodes[node].life == life { perform(action, of: node) }
  }

  func start(_ node: Int) {
    attempt(node, "opening its file", at: [.opening]) { node throws(StorageError) in
      // Not where a copy of the file goes on with what would be reissued, without hearing of it: what
      // becomes of that depends on the order in which both come.
      let mayRepair = report.copies == 0 && !node.mayBePutBack
      if try node.boot(repairing: { mayRepair && chance(percent: 50) }) { report.repairs += 1 }
    }
    guard nodes[node].isUp else { return }
    startApplication(on: node)
    attempt(node, "reading what it holds") { node throws(StorageError) in
      let holdings = try node.holdings()
      let stored = holdings.stored.commonHistories
      if !stored.includes(node.committed.commonHistories)
        || !stored.includes(node.promised.commonHistories)
      {
        violate(
          .durability,
          "node \(node.number) committed \(node.committed) and promised \(node.promised); after a "
            + "restart it holds \(holdings.stored)")
      }
      if let file = node.file {
        deliver(.logStartChanged(try file.logStart()), to: node.number)
      }
      deliver(.start(holdings), to: node.number)
      let known = try node.file?.peerProgress().map(\.progress) ?? []
      deliver(.remembered(known), to: node.number)
      reportIncarnation(node)
    }
  }

  /// Does something with a node's file that must not fail, unless the node is to die of it.
  func attempt(
    _ number: Int, _ doing: String, at points: [FaultPoint] = [],
    _ body: (SimulatedNode) throws(StorageError) -> Void
  ) {
    let node = nodes[number]
    if let armed = node.armed, points.contains(armed) {
      node.disk.plan(armed.plan(using: &random))
    }
    do {
      try body(node)
      node.disk.plan(nil)
    } catch {
      if node.disk.isCut { return die(number, at: node.armed) }
      violate(.storage, "node \(number), \(doing): \(error)")
    }
  }

  func violate(_ kind: Violation.Kind, _ text: String) {
    report.violations.append(Violation(kind: kind, text: "\(text), at \(now.nanoseconds) ns"))
  }

  /// A random time of at most `longest`.
  func chance(upTo longest: Duration) -> Duration {
    .microseconds(Int64.random(in: 0...Int64(longest / .microseconds(1)), using: &random))
  }

  func chance(percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private func write() {
    let node = Int.random(in: 0..<nodes.count, using: &random)
    if simulation.hasOwners {
      admitSomebody(by: node)
      removeSomebody(by: node)
      rotateKey(of: node)
    }
    if nodes[node].isUp, writesLeft > 0 {
      commit(on: node)
      writesLeft -= 1
    }
    if !isCalm, writesLeft > 0 {
      let pause = conditions.activePhase * 2 / conditions.transactions
      schedule.add(.write, at: now.advanced(by: chance(upTo: pause)))
    }
  }

  private func commit(on number: Int) {
    if let application = simulation.application { return commit(application, on: number) }
    var random = SeededGenerator(seed: random.next())
    let isTheft = simulation.sabotage == .theft
    if simulation.sabotage == .brokenDisk {
      nodes[number].disk.plan(FaultDisk.Plan(.inputOutput, at: [.write], of: .log))
    }
    attempt(number, "writing", at: [.committing, .flushingCommit]) {
      node throws(StorageError) in
      let didWrite = try node.write { workload, file throws(StorageError) in
        try workload.transact(file, isTheft: isTheft, using: &random)
      }
      if didWrite, !dies(number, at: .committed) { try announce(node) }
    }
  }

  /// Wakes a node's engine after a commit, as a file watch would.
  func announce(_ node: SimulatedNode) throws(StorageError) {
    report.transactions += 1
    if isCalm { report.missingBytes += try newBytes(of: node) * others(than: node) }
    let event = Event.logAdvanced(try node.holdings())
    let wakeUp = now.advanced(by: chance(upTo: .milliseconds(50)))
    schedule.add(.event(node: node.number, life: node.life, event), at: wakeUp)
  }
}

extension World {
  /// Something that is going to happen.
  enum Occurrence {
    case event(node: Int, life: Int, Event)
    case timer(node: Int, life: Int, count: Int)
    case opening(Attempt)
    case arrival(connection: Int, end: Int, Network.Piece)
    case closing(connection: Int, end: Int)
    case write
    case accident
    case strobe(Strobe)
    case healing([(Int, Int)])
    case restart(node: Int)
    case truncation
    case check
    case calm
  }

  /// A node's try to reach another.
  struct Attempt {
    var source: Int
    var life: Int
    var target: Int
  }
}
