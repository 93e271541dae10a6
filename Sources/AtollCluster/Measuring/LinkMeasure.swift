import Atoll
import AtollNode
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation

/// Two daemons on loopback: this process writes at A with the client library, and reads B's file.
final class LinkMeasure {
  private let a: DaemonNode
  private let b: DaemonNode
  private let store: Store
  private let target: StoreFile
  private var count = 0
  /// Makes one more node of the store, which was never started.
  private let makeNode: (String) throws -> DaemonNode

  /// Starts both and links them; if that is to be secured, each node's key is in the other's roster.
  init(folder: URL, isSecured: Bool, flags: [String] = [], cleanUp: CleanUp) throws {
    let id = StoreID(unowned: { .random(in: 0 ... .max) })
    let flags = flags + (isSecured ? ["--tls"] : [])
    makeNode = {
      try DaemonNode(name: $0, in: folder, storeID: id, flags: flags, cleanUp: cleanUp)
    }
    a = try makeNode("A")
    b = try makeNode("B")
    if isSecured {
      try a.admit(b)
      try b.admit(a)
    }
    try a.start(peers: [])
    try b.start(peers: [a.port])
    store = try Self.store(at: a)
    target = try StoreFile.open(b.storePath)
    try insertOne()
    try waitForArrival()
  }

  private static func store(at node: DaemonNode) throws -> Store {
    try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: node.storePath),
        objectTypes: [Airport.self, Country.self, Location.self]))
  }

  func stop() {
    target.close()
    a.terminate()
    b.terminate()
  }

  /// So many objects in one transaction, from its beginning until all are visible at B.
  func bulk(objects: Int) throws -> Duration {
    try timed {
      try store.write {
        for _ in 0..<objects { add() }
      }
    }
  }

  /// So many transactions of one object each, one after the other, until all are visible at B.
  func stream(transactions: Int) throws -> Duration {
    try timed { for _ in 0..<transactions { try insertOne() } }
  }

  /// One transaction with so many values of a mebibyte each, from its beginning until they are visible at B.
  ///
  /// - Returns: The time, and the most memory of its own that each daemon had meanwhile, MiB: without the
  ///   pages of files, which the system takes back when it needs them.
  func large(mebibytes: Int) throws -> (time: Duration, sender: Double, receiver: Double) {
    var peaks = (sender: 0.0, receiver: 0.0)
    let time = try ContinuousClock().measure {
      try store.write { for _ in 0..<mebibytes { store.add(makeLarge()) } }
      try wait("the last object") {
        peaks.sender = max(peaks.sender, try Self.memory(of: a, "RssAnon"))
        peaks.receiver = max(peaks.receiver, try Self.memory(of: b, "RssAnon"))
        return try hasArrived()
      }
    }
    return (time, peaks.sender, peaks.receiver)
  }

  /// While B and another catch up with so many transactions of a mebibyte each, which a third replica
  /// wrote: how long single objects take that the other writes, until they are visible at B, ascending.
  ///
  /// A's writes depend on all of it, and so can pass nothing.
  func liveWrites(behind mebibytes: Int) throws -> [Duration] {
    let (c, d) = (try makeNode("C"), try makeNode("D"))
    let here = try StoreFile.open(a.storePath)
    let other = try StoreFile.open(d.storePath)
    defer {
      here.close()
      other.close()
    }
    try d.start(peers: [a.port])
    try wait("the first object") { try hasArrived(in: other) }
    for node in [b, d] { node.terminate() }
    try c.start(peers: [a.port])
    let there = try Self.store(at: c)
    for _ in 0..<mebibytes { try there.write { there.add(makeLarge()) } }
    let last = Self.key(count - 1)
    try wait("what the third has written") { try Self.has(last, in: here) }
    c.terminate()
    for node in [b, d] { try node.restart() }
    defer { d.terminate() }
    let writer = try Self.store(at: d)
    var samples: [Duration] = []
    while try !Self.has(last, in: target) {
      let airport = Airport()
      airport.icao = "L\(samples.count)"
      let key = airport.icao
      samples.append(
        try ContinuousClock().measure {
          try writer.write { writer.add(airport) }
          try wait("what was written meanwhile") { try Self.has(key, in: target) }
        })
      Thread.sleep(forTimeInterval: 0.02)
    }
    return samples.sorted()
  }

  /// An object that takes a mebibyte.
  private func makeLarge() -> Airport {
    let airport = Airport()
    airport.icao = Self.key(count)
    let letter = String(UnicodeScalar(UInt8(97 + count % 26)))
    airport.iata = String(repeating: letter, count: 1 << 20)
    count += 1
    return airport
  }

  /// The median time of one update, from the call of its commit until it is visible at B.
  func update(times: Int) throws -> Duration {
    let samples = try (0..<times).map { _ in
      try store.beginWrite()
      store.object(ofType: Airport.self, forPrimaryKey: Self.key(0))?.name += "."
      let before = try target.commitNumber()
      return try ContinuousClock().measure {
        try store.commitWrite()
        try wait("an update") { try target.commitNumber() > before }
      }
    }
    return samples.sorted()[samples.count / 2]
  }

  /// While B applies so many objects that it was not there for: the 99th of a hundred local writes
  /// of one object there.
  ///
  /// A write waits for the transaction at hand, which is never applied in part.
  func localWrites(whileApplying objects: Int, perTransaction: Int) throws -> Duration {
    b.terminate()
    try fill(objects, perTransaction: perTransaction)
    let there = try Self.store(at: b)
    try b.restart()
    var samples: [Duration] = []
    try wait("what was written without it") {
      let airport = Airport()
      airport.icao = "L\(samples.count)"
      samples.append(try ContinuousClock().measure { try there.write { there.add(airport) } })
      Thread.sleep(forTimeInterval: 0.002)
      return try samples.count.isMultiple(of: 20) && hasArrived()
    }
    return samples.sorted()[samples.count * 99 / 100]
  }

  /// Has a third node begin that has nothing, when A has so many objects: from its start until all
  /// of them are visible there.
  func newcomer(objects: Int, perTransaction: Int) throws -> Duration {
    b.terminate()
    try fill(objects, perTransaction: perTransaction)
    let c = try makeNode("C")
    defer { c.terminate() }
    let file = try StoreFile.open(c.storePath)
    defer { file.close() }
    return try ContinuousClock().measure {
      try c.start(peers: [a.port])
      try wait("everything") { try hasArrived(in: file) }
    }
  }

  private func fill(_ objects: Int, perTransaction: Int) throws {
    for first in stride(from: 0, to: objects, by: perTransaction) {
      try store.write { for _ in first..<min(first + perTransaction, objects) { add() } }
    }
  }

  /// Has B's daemon stop and start with everything that A has: the time from its having opened the
  /// file, over connecting and shaking hands, until it finds that there is nothing to send.
  func reconnection() throws -> Duration {
    b.terminate()
    let log = b.folder.appendingPathComponent("atolld.log")
    try? FileManager.default.removeItem(at: log)
    try b.restart()
    var times: [Date] = []
    try wait("nothing more to send") {
      let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
      times = ["serving store", "has been sent everything"].compactMap { words in
        lines.first { $0.contains(words) }?.split(separator: " ").first.flatMap {
          try? Date(
            String($0),
            strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        }
      }
      return times.count == 2
    }
    return .seconds(times[1].timeIntervalSince(times[0]))
  }

  /// The most memory that B's daemon has had, MiB.
  func peakMemory() throws -> Double { try Self.memory(of: b, "VmHWM") }

  /// Returns the daemon's memory under a name in `/proc`, MiB.
  private static func memory(of node: DaemonNode, _ name: String) throws -> Double {
    let status = try node.processID.map {
      try String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8)
    }
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let kibibytes = line?.firstMatch(of: /(\d+) kB/).flatMap { Double($0.1) }
    return (kibibytes ?? .nan) / 1024
  }

  private func timed(_ write: () throws -> Void) throws -> Duration {
    try ContinuousClock().measure {
      try write()
      try waitForArrival()
    }
  }

  private func insertOne() throws { try store.write { add() } }

  private func add() {
    let airport = Airport()
    airport.icao = Self.key(count)
    airport.name = "Airport \(count)"
    airport.coordinate = Coordinate(latitude: Double(count % 90), longitude: Double(count % 180))
    airport.elevation = Measurement(value: Double(count % 4000), unit: .meters)
    store.add(airport)
    count += 1
  }

  private static func key(_ number: Int) -> String { "X\(number)" }

  private func waitForArrival() throws { try wait("the last object") { try hasArrived() } }

  private func hasArrived() throws -> Bool { try hasArrived(in: target) }

  private func hasArrived(in file: StoreFile) throws -> Bool {
    try Self.has(Self.key(count - 1), in: file)
  }

  private static func has(_ key: String, in file: StoreFile) throws -> Bool {
    guard let airport = try file.storedClass(named: "Airport") else { return false }
    return try file.find(airport.id, key: .string(key)) != nil
  }

  /// Asks again until it is so, after a fiftieth of the time that it has taken by then: often enough for
  /// what is measured, and seldom enough for the daemons, which have the same processors.
  private func wait(_ what: String, until isDone: () throws -> Bool) throws {
    let start = ContinuousClock.now
    while try !isDone() {
      let waited = start.duration(to: .now)
      guard waited < Demo.timeout else {
        throw ClusterError.timeOut(
          "the peer that waits for \(what)", waited: Demo.timeout,
          lines: ["A:"] + a.lastLines + ["B:"] + b.lastLines)
      }
      Thread.sleep(forTimeInterval: min(max(waited.seconds / 50, 0.00005), 0.002))
    }
  }
}

extension DaemonNode {
  /// Lets another connect to this one, whose daemon has not been started yet.
  fileprivate func admit(_ other: DaemonNode) throws {
    let identity = try IdentityFile(inFolder: other.folder.path).open().identity
    let file = try StoreFile.open(storePath)
    defer { file.close() }
    try file.admit(RosterEntry(identity: identity, name: other.name))
  }
}
