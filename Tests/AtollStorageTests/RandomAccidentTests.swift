import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization
import Testing

/// Three replicas that write, exchange, repair clocks, cut logs and retire each other, in random order.
///
/// An owner alone retires others, if the store has any.
///
/// Whoever was retired and writes on may be left behind for good: others have cut what it lacks, and what it has cut,
/// or superseded, is in no snapshot of theirs. Nobody else may, and all who have the same hold the same.
///
/// `ATOLL_SEEDS=2000` runs more seeds, `ATOLL_SEED=37` replays one.
@Suite struct `random accidents` {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["ATOLL_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    if let count = environment["ATOLL_SEEDS"].flatMap({ UInt64($0) }) { return Array(1...count) }
    return Array(1...40) + found
  }()
  /// Those that have found something: clocks repaired twice by who was retired, and retirements in a circle.
  private static let found: [UInt64] = [74, 181, 468, 521, 638]

  @Test(arguments: [false, true])
  func `issue 28.4: clock repairs, cuts and retirement in any order leave equal, whole files`(
    isOwned: Bool
  ) throws {
    var tally = Accidents.Tally()
    for seed in Self.seeds {
      var accidents = try Accidents(seed: seed, isOwned: isOwned)
      do {
        try accidents.run()
      } catch {
        Issue.record("seed \(seed): \(error)\n\(accidents.story.joined(separator: "\n"))")
      }
      accidents.close()
      tally.add(accidents.tally)
    }
    print("random accidents: \(tally)")
    guard Self.seeds.count > 1 else { return }
    #expect(tally.cut > 0 && tally.repairs > 0 && tally.snapshots > 0 && tally.retired > 0)
  }
}

/// One run, decided by its seed.
struct Accidents {
  struct Tally: CustomStringConvertible {
    var (cut, repairs, snapshots, retired, leftBehind) = (0, 0, 0, 0, 0)

    mutating func add(_ other: Tally) {
      cut += other.cut
      repairs += other.repairs
      snapshots += other.snapshots
      retired += other.retired
      leftBehind += other.leftBehind
    }

    var description: String {
      "\(cut) changesets cut off, \(repairs) clocks repaired, \(snapshots) snapshots, \(retired) retired, "
        + "\(leftBehind) runs left somebody behind"
    }
  }

  private(set) var tally = Tally()
  /// The events so far, a line each.
  private(set) var story: [String] = []
  private var stores: [TestStore] = []
  private var writer: RandomWriter
  /// The time that all clocks show when none is wrong.
  private var truth = WallTime(milliseconds: 1_000_000)
  private let isOwned: Bool
  /// Those whom another one has retired.
  private var retired: Set<Int> = []
  /// Givers and takers of snapshots that were of no use, since the last round of exchanges began.
  private var useless: Set<[Int]> = []

  init(seed: UInt64, isOwned: Bool) throws {
    self.isOwned = isOwned
    writer = RandomWriter(random: SeededGenerator(seed: seed))
    let ids = Mutex(SeededGenerator(seed: ~seed))
    func store(_ name: String, _ storeID: StoreID?) throws -> TestStore {
      try TestStore(
        name, storeID: storeID, isOwned: isOwned && storeID == nil,
        random: { ids.withLock { $0.next() } })
    }
    let first = try store("a", isOwned ? nil : StoreID(high: 1, low: 1))
    stores = try [first] + ["b", "c"].map { try store($0, first.file.storeID) }
    if isOwned {
      for other in stores.dropFirst() {
        try first.file.admit(other.file.author.replica, as: .writer)
      }
    }
    for store in stores { try store.file.announce() }
    for one in stores.indices {
      for other in stores.indices where one != other { try exchange(one, other) }
    }
  }

  func close() { for store in stores { store.file.close() } }

  mutating func run() throws {
    for _ in 0..<40 { try step() }
    story.append("all clocks are right, and everybody meets")
    truth.milliseconds += 10_000_000
    for store in stores { store.clock.now = truth }
    for _ in 0..<4 {
      useless = []
      for one in stores.indices {
        for other in stores.indices where one != other { try exchange(one, other) }
      }
    }
    try conclude()
  }

  private mutating func step() throws {
    let number = draw(stores.count)
    let other = (number + 1 + draw(stores.count - 1)) % stores.count
    let store = stores[number]
    truth.milliseconds += Int64(draw(2000))
    switch draw(20) {
    case 0..<8:
      story.append("\(number) writes")
      try writer.write(store)
    case 8..<13: try exchange(number, other)
    case 13, 14:
      let skew = [0, 0, 30, 100, 400, -100][draw(6)]
      story.append("the clock of \(number) is \(skew) s ahead")
      store.clock.now = WallTime(milliseconds: truth.milliseconds + Int64(skew) * 1000)
    case 15:
      guard try store.file.ownTimeAhead() != nil else { return }
      story.append("\(number) repairs its clock")
      if try store.file.repairClock(isForced: true) != nil { tally.repairs += 1 }
    case 16, 17:
      guard try store.file.logStart().missing == nil else { return }
      try cut(number)
    case 18:
      let member = stores[other].file.author.replica
      guard !isOwned || number == 0 else { return }
      guard try store.file.members().contains(where: { $0.replica == member && !$0.isRetired })
      else { return }
      story.append("\(number) retires \(other)")
      try store.file.retire(member)
      retired.insert(other)
      tally.retired += 1
    default:
      story.append("\(number) is looked at")
      try look(number)
    }
    try store.checkDigests()
  }

  private mutating func cut(_ number: Int) throws {
    let store = stores[number]
    let before = store.clock.now
    store.clock.now = WallTime(milliseconds: before.milliseconds + 86_000_000)
    defer { store.clock.now = before }
    do {
      let cut = try store.file.truncateLog(olderThan: .zero).changesets
      story.append("\(number) cuts \(cut) off its log")
      tally.cut += cut
    } catch StorageError.notYet(_, _, let detail, _) {
      // Changesets that a repair deferred are in no snapshot.
      story.append("\(number) cuts nothing: \(detail)")
    }
  }

  /// One learns what the other has: its objects, if its log is cut, and then its log.
  private mutating func exchange(_ from: Int, _ to: Int) throws {
    story.append("\(from) sends to \(to)")
    let (giver, taker) = (stores[from], stores[to])
    if try !taker.file.holdings().stored.includes(giver.file.logStart().truncationPoint) {
      guard try snapshot(from, to) else { return }
    }
    try send(from, to)
    _ = try taker.file.applyDeferred()
    if let wanted = try taker.file.wantedOfSnapshot(),
      try giver.file.holdings().applied.includes(wanted)
    {
      story.append("\(to) wants a snapshot that has what supersedes its checkpoint")
      _ = try snapshot(from, to)
    }
    for (one, other) in [(giver, taker), (taker, giver)] {
      try one.file.setPeerProgress([
        PeerProgress(peer: other.file.author, holdings: try other.file.holdings())
      ])
    }
  }

  private func send(_ from: Int, _ to: Int) throws {
    let (giver, taker) = (stores[from], stores[to])
    let batch = try giver.file.entries(
      lackedBy: try taker.file.holdings().stored, after: .start, limitBytes: 1 << 22,
      isForPeer: true)
    let outcomes = try taker.file.apply(batch.entries.map(\.fromPeer))
    for outcome in outcomes {
      switch outcome {
      case .applied, .deferred, .duplicate: break
      // A clock repair has deferred the admission: the rest is asked for again.
      case .overflowing(_, because: .notAdmitted): return
      case .missing, .branched, .detached, .overflowing, .equivocation, .refused:
        throw TestFailure("\(from) sends \(batch.entries.map(\.id)) to \(to): \(outcomes)")
      }
    }
  }

  /// Tells whether it was taken: one that is of the future is not.
  private mutating func snapshot(_ from: Int, _ to: Int) throws -> Bool {
    let (giver, taker) = (stores[from], stores[to])
    guard try giver.file.logStart().missing == nil, try taker.file.logStart().missing == nil
    else { return false }
    do {
      try giver.file.makeSnapshot()
    } catch StorageError.notYet(_, _, let detail, _) {
      story.append("\(from) makes no snapshot: \(detail)")
      return false
    }
    guard let offer = try giver.file.snapshotOffer() else { throw TestFailure("no snapshot") }
    guard try offer.frontier.stored.includes(taker.file.logStart().truncationPoint) else {
      useless.insert([from, to])
      return false
    }
    _ = try taker.file.beginStaging(offer.id)
    _ = try taker.stage(from: giver, offer.id, 0..<offer.pages)
    switch try taker.file.installSnapshot(offer.id) {
    case .installed:
      story.append("\(to) takes a snapshot of \(from)")
      tally.snapshots += 1
      _ = try taker.fetchBackfill(from: giver)
      return true
    case .early: return false
    case .refused(let reason) where reason.contains("count for nothing here"):
      story.append("\(to) knows that what \(from) has in its snapshot counts for nothing")
      useless.insert([from, to])
      return false
    case let outcome: throw TestFailure("\(to) does not take a snapshot of \(from): \(outcome)")
    }
  }

  private func look(_ number: Int) throws {
    let findings = try stores[number].file.verify()
    guard findings.isEmpty else { throw TestFailure("\(number): \(findings)") }
    _ = try stores[number].log()
    let copy = TestFolder.path("copy")
    try stores[number].file.backUp(to: copy)
    try FileManager.default.removeItem(atPath: copy)
  }

  private mutating func conclude() throws {
    for number in stores.indices { try look(number) }
    var states: [VersionVector: String] = [:]
    var vectors: [VersionVector] = []
    for store in stores {
      let (vector, objects) = (try store.file.holdings().applied, try store.exported())
      vectors.append(vector)
      guard states.updateValue(objects, forKey: vector) ?? objects == objects else {
        throw TestFailure("they have applied the same, and hold other objects")
      }
    }
    guard states.count > 1 else { return }
    for one in stores.indices {
      for other in stores.indices where one < other && vectors[one] != vectors[other] {
        guard !retired.isDisjoint(with: [one, other]),
          useless.contains([one, other]) || useless.contains([other, one])
        else { throw TestFailure("\(one) and \(other) have not the same: \(vectors)") }
      }
    }
    tally.leftBehind += 1
  }

  private mutating func draw(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &writer.random)
  }
}
