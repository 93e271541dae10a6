import AtollEventLoop
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation
import Synchronization

/// A daemon that serves several stores, each linked to many peers that have nothing to say.
struct IdleMeasure {
  let folder: URL
  let stores: Int
  let peersOfEach: Int
  let cleanUp: CleanUp

  /// The time for which the daemon is left alone before the measurement, and that of the
  /// measurement.
  private static let (settling, looking) = (Duration.seconds(60), Duration.seconds(20))

  /// - Returns: `memory`: MiB of the daemon once all are linked; `processor`: percent of a core that it
  ///   takes to keep them; `linking`: milliseconds until all were.
  func run() throws -> [String: Double] {
    let files = try (0..<stores).map(makeStore)
    defer { for file in files { file.close() } }
    let portFile = folder.appendingPathComponent("port")
    let program = try Program(
      Program.sibling("atolld"),
      [
        "--listen", "127.0.0.1:0", "--data", folder.path, "--port-file", portFile.path,
        // A link may need the least window, either way.
        "--memory", "\(stores * peersOfEach)M",
      ] + files.flatMap { ["--store", $0.path] },
      name: "atolld", log: folder.appendingPathComponent("atolld.log"), cleanUp: cleanUp)
    defer { _ = program.terminate(within: .seconds(10)) }
    let port = Bounded.wait(.seconds(20), while: { program.isRunning }) {
      (try? String(contentsOf: portFile, encoding: .utf8)).flatMap {
        UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines))
      }
    }
    guard let port else {
      throw ClusterError.timeOut(program.name, waited: .seconds(20), lines: program.lastLines)
    }
    let crowd = try Crowd(
      files, peersOfEach: peersOfEach, at: try Endpoint("127.0.0.1:\(port)"))
    defer { crowd.close() }
    let linking = try ContinuousClock().measure {
      try crowd.wait(until: stores * peersOfEach, at: program)
    }
    Thread.sleep(forTimeInterval: Self.settling.seconds)
    let before = try Self.processorTime(of: program.processID)
    Thread.sleep(forTimeInterval: Self.looking.seconds)
    let spent = try Self.processorTime(of: program.processID) - before
    try crowd.wait(until: stores * peersOfEach, at: program)
    return [
      "memory": try Self.memory(of: program.processID),
      "processor": 100 * spent / Self.looking.seconds, "linking": linking.seconds * 1000,
    ]
  }

  private func makeStore(_ number: Int) throws -> StoreFile {
    let file = try StoreFile.open(folder.appendingPathComponent("idle-\(number).atoll").path)
    let note = ClassSchema(
      name: "Note", primaryKey: "pk", properties: [PropertySchema(name: "pk", type: .int)])
    let classes = try file.adopt([note])
    try file.beginWrite()
    for key in 0..<100 {
      for entry in classes { _ = try file.create(entry.id, key: .int(Int64(key)), fields: []) }
    }
    _ = try file.commitWrite()
    return file
  }

  /// MiB in memory, mapped files included.
  private static func memory(of process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
      let kibibytes = Double(number)
    else { throw ClusterError.different(reason: "the system does not say what a process uses") }
    return kibibytes / 1024
  }

  /// Seconds of a core.
  private static func processorTime(of process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // Behind the name, which may have anything in it.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw ClusterError.different(reason: "the system does not say what a process takes")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// The idle peers of several stores, on a loop of their own.
private struct Crowd {
  private let loop: EventLoop
  private let tally = IdlePeers.Tally()

  init(_ files: [StoreFile], peersOfEach: Int, at endpoint: Endpoint) throws {
    loop = try EventLoop(name: "idle-peers")
    let facts = try files.map { ($0.storeID, try $0.holdings()) }
    loop.perform { [loop, tally] in
      for (storeID, holdings) in facts {
        // Their links keep them.
        _ = IdlePeers(
          peersOfEach, at: endpoint, of: storeID, holding: holdings, loop: loop, tally: tally)
      }
    }
  }

  /// Waits until all are linked, and sees that none was given up.
  func wait(until count: Int, at program: Program) throws {
    let bound = Duration.seconds(120)
    _ = Bounded.wait(bound, while: { program.isRunning }) {
      tally.state.withLock { $0.linked == count || !$0.failures.isEmpty ? true : nil }
    }
    let (linked, failures) = tally.state.withLock(\.self)
    if let failure = failures.first {
      throw ClusterError.different(reason: "\(failures.count) peers were given up: \(failure)")
    }
    guard linked == count else {
      throw ClusterError.timeOut(program.name, waited: bound, lines: program.lastLines)
    }
  }

  func close() {
    let isClosed = DispatchSemaphore(value: 0)
    Task { [loop] in
      await loop.stop()
      isClosed.signal()
    }
    _ = isClosed.wait(timeout: .now() + .seconds(5))
  }
}
