import AtollStorage
import AtollVocabulary
import Foundation

/// A daemon, the applications beside it, and what can be done to them.
///
/// Used from the thread of the run alone, but for ``daemon``.
final class FaultyNode {
  let number: Int
  let daemon: DaemonNode
  let writers: [Writer]
  private let settings: FaultRun.Settings
  private let cleanUp: CleanUp
  private var ahead: Int64 = 0
  /// Of the fault that goes on, where it needs one: the backup, and how far the writers were.
  private var backup: (path: String, acknowledged: [Int])?
  /// The daemon has been taken down by a fault that goes on.
  private var isDown = false
  /// The number of times that the daemon ended without having been asked to.
  private(set) var unexpectedEnds = 0
  private var mayEnd = false
  private(set) var restored = 0

  init(
    number: Int, in folder: URL, storeID: StoreID, settings: FaultRun.Settings, cleanUp: CleanUp,
    acknowledged: Int = 0
  ) throws {
    self.number = number
    self.settings = settings
    self.cleanUp = cleanUp
    let name = Self.name(number)
    daemon = try DaemonNode(name: name, in: folder, storeID: storeID, cleanUp: cleanUp)
    writers = (1...settings.writers).map {
      Writer(name: "\(name)\($0)", acknowledged: acknowledged)
    }
  }

  /// A letter; after Z come AA, AB and so on.
  static func name(_ number: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(0x41 + number % 26)))
    return number < 26 ? letter : name(number / 26 - 1) + letter
  }

  var name: String { daemon.name }

  func startWriters() throws {
    for (index, writer) in writers.enumerated() {
      let seed = settings.seed &+ UInt64(number * 1_000 + index) &* 1_000
      try writer.start(
        daemon.storePath, rate: settings.rate, ahead: ahead, seed: seed, cleanUp: cleanUp)
    }
  }

  func stopWriters() { for writer in writers { writer.kill() } }

  /// Hears what the writers say, and has an init system's care for who has ended.
  func supervise() throws {
    for writer in writers { writer.listen() }
    guard !isDown, daemon.hasEnded else { return }
    if !mayEnd { unexpectedEnds += 1 }
    try restart()
  }

  /// Starts the daemon as an init system would, again for a while if it ends at once: while it was away
  /// the kernel may have lent its port to somebody's connection.
  private func restart() throws { try Bounded.retry(.seconds(20)) { try daemon.restart() } }

  // MARK: Faults

  func begin(_ fault: PlannedFault) throws {
    switch fault.kind {
    case .kill: fault.variant.isMultiple(of: 3) ? stopWriters() : killDaemon()
    case .pause: pause(for: fault.end - fault.begin)
    case .clock: try shiftClock(by: Int64(fault.variant % 90_000) - 45_000)
    case .diskFull: try limitFiles()
    case .restore: try makeBackup()
    case .partition, .slow: break
    }
  }

  func end(_ fault: PlannedFault) throws {
    switch fault.kind {
    case .kill: try bringBack()
    case .clock: try shiftClock(by: 0)
    case .diskFull: try unlimitFiles()
    case .restore: try restoreBackup()
    case .pause, .partition, .slow: break
    }
  }

  private func killDaemon() {
    isDown = true
    daemon.kill()
  }

  private func bringBack() throws {
    isDown = false
    try restart()
    try startWriters()
  }

  /// Stops the daemon for so long and no longer, whatever keeps the run busy: in a transaction it holds
  /// up everybody who writes to the store.
  private func pause(for seconds: Double) {
    guard !daemon.hasEnded, let process = daemon.processID else { return }
    Foundation.kill(process, SIGSTOP)
    Thread.detachNewThread { [daemon] in
      Thread.sleep(forTimeInterval: seconds)
      if daemon.processID == process, !daemon.hasEnded { Foundation.kill(process, SIGCONT) }
    }
  }

  /// Applications cannot feel their clock change here, but the next ones can.
  private func shiftClock(by milliseconds: Int64) throws {
    stopWriters()
    ahead = milliseconds
    try startWriters()
  }

  private func makeBackup() throws {
    let acknowledged = writers.map { writer in
      writer.listen()
      return writer.acknowledged
    }
    let path = daemon.folder.appendingPathComponent("backup-\(restored + 1).atoll").path
    // Restoring applies the backup's log anew; doing it here too would only hold up the run.
    try command(["backup", "--quick", daemon.storePath, path])
    backup = (path, acknowledged)
  }

  private func restoreBackup() throws {
    guard let backup else { return }
    self.backup = nil
    stopWriters()
    isDown = true
    daemon.terminate()
    for (writer, number) in zip(writers, backup.acknowledged) { writer.excuse(after: number) }
    try command(["restore", backup.path, daemon.storePath])
    restored += 1
    try bringBack()
  }

  /// Runs `atoll`, repeated for a time if it is refused: the watch of the lag may have the file open.
  private func command(_ arguments: [String]) throws {
    try Bounded.retry(.seconds(20)) {
      let program = try Program(
        Program.sibling("atoll"), arguments, name: "atoll \(arguments[0])", cleanUp: cleanUp)
      try program.waitForExit(within: .seconds(60))
    }
  }

  // MARK: A full disk

  /// The daemon's files may not grow: SQLite's writes fail with "file too large".
  ///
  /// Debian's essential util-linux brings `prlimit`.
  private func limitFiles() throws {
    let wal = daemon.storePath + "-wal"
    let size = (try? FileManager.default.attributesOfItem(atPath: wal)[.size] as? UInt64) ?? 0
    mayEnd = true
    try setFileLimit("\(size)")
  }

  private func unlimitFiles() throws {
    try setFileLimit("unlimited")
    mayEnd = false
  }

  private func setFileLimit(_ bytes: String) throws {
    guard !daemon.hasEnded, let process = daemon.processID else { return }
    let program = try Program(
      URL(filePath: "/usr/bin/prlimit"), ["--pid", "\(process)", "--fsize=\(bytes):unlimited"],
      name: "prlimit", cleanUp: cleanUp)
    do {
      try program.waitForExit(within: .seconds(10))
    } catch {
      // A full disk may just have ended it; the next start sets no limit.
      guard daemon.hasEnded else { throw error }
    }
  }
}
