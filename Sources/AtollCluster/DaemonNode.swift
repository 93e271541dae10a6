import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization

/// One of the three: a store file, and the `atolld` that serves it, which may die and come back.
///
/// Callable from any thread.
final class DaemonNode: Sendable {
  let name: String
  let folder: URL
  let cleanUp: CleanUp
  /// The further flags of the daemon.
  private let flags: [String]
  private let state: Mutex<State>

  private struct State {
    var program: Program?
    /// The port at which it listens; kept from the first start on, so that the others find it
    /// again.
    var port: UInt16 = 0
    /// The ports that it connects to; nil until it is started for the first time.
    var peers: [UInt16]?
  }

  init(
    name: String, in folder: URL, storeID: StoreID, flags: [String] = [], cleanUp: CleanUp
  ) throws {
    self.name = name
    self.flags = flags
    self.folder = folder.appendingPathComponent(name)
    self.cleanUp = cleanUp
    state = Mutex(State())
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    try StoreFile.open(storePath, options: StoreOptions(storeID: storeID)).close()
  }

  var storePath: String { folder.appendingPathComponent("airports.atoll").path }
  var port: UInt16 { state.withLock { $0.port } }
  var processID: Int32? { state.withLock { $0.program?.processID } }
  /// The last lines of the daemon, if it runs.
  var lastLines: [String] { state.withLock { $0.program?.lastLines ?? [] } }
  /// True if the daemon was started, and has ended without anybody's doing here.
  var hasEnded: Bool { state.withLock { $0.program?.isRunning == false } }

  /// Starts the daemon, and waits until it listens; does nothing if it runs.
  func start(peers: [UInt16]) throws {
    try state.withLock { state in
      state.peers = peers
      try start(&state, peers: peers)
    }
  }

  /// Starts the daemon again, where it was and with the peers it had; does nothing if it runs, or
  /// never did: nobody knows its peers then.
  func restart() throws {
    try state.withLock { state in
      if let peers = state.peers { try start(&state, peers: peers) }
    }
  }

  /// Ends the daemon with SIGKILL, if it runs.
  func kill() {
    state.withLock { state in
      state.program?.kill()
      state.program = nil
    }
  }

  /// Ends the daemon with SIGTERM, if it runs.
  ///
  /// - Returns: whether it ended by itself in time.
  @discardableResult
  func terminate() -> Bool {
    state.withLock { state in
      defer { state.program = nil }
      return state.program?.terminate(within: .seconds(5)) ?? true
    }
  }

  private func arguments(at port: UInt16, peers: [UInt16]) -> [String] {
    ["--store", storePath, "--listen", "127.0.0.1:\(port)", "--data", folder.path] + flags
      + peers.flatMap { ["--peer", "127.0.0.1:\($0)"] }
  }

  /// The command line that starts it again where it was.
  var commandLine: String {
    let program = (try? Program.sibling("atolld").path) ?? "atolld"
    let (port, peers) = state.withLock { ($0.port, $0.peers ?? []) }
    let arguments = arguments(at: port, peers: peers)
    return ([program] + arguments).joined(separator: " ")
  }

  private func start(_ state: inout State, peers: [UInt16]) throws {
    if let program = state.program, program.isRunning { return }
    let portFile = folder.appendingPathComponent("port")
    try? FileManager.default.removeItem(at: portFile)
    let program = try Program(
      Program.sibling("atolld"),
      arguments(at: state.port, peers: peers) + ["--port-file", portFile.path],
      name: "atolld \(name)", log: folder.appendingPathComponent("atolld.log"), cleanUp: cleanUp)
    state.program = program
    state.port = try waitForPort(in: portFile, of: program)
  }

  private func waitForPort(in file: URL, of program: Program) throws -> UInt16 {
    let bound = Duration.seconds(20)
    let port = Bounded.wait(bound, while: { program.isRunning }) {
      (try? String(contentsOf: file, encoding: .utf8)).flatMap { text in
        UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines))
      }
    }
    guard let port else {
      if !program.isRunning { try program.waitForExit(within: .seconds(5)) }
      program.kill()
      throw ClusterError.timeOut(program.name, waited: bound, lines: program.lastLines)
    }
    return port
  }
}
