import AtollEventLoop
import Foundation
import LoopTestKit

/// A running `atolld`, and what it says.
///
/// Started with `posix_spawn`: swift-subprocess 1.0 hands over three descriptors, and a supervisor four;
/// Foundation's `Process` notices an end only when all processes that were started meanwhile have
/// ended too.
final class DaemonProcess: Sendable {
  struct NotStarted: Error { var code: Int32 }

  struct Ended: Sendable {
    var exitCode: Int32
    var isBySignal: Bool
  }

  let ended = Promise<Ended>()
  let processID: pid_t
  private let folder: String
  private let outputPath: String
  private let errorPath: String

  /// Starts a daemon whose output goes to files in `folder`.
  ///
  /// It has the variables of the test and those of `environment`; `listener` is a socket that it gets
  /// as descriptor 3, as systemd would hand it over.
  init(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    listener: Int32? = nil
  ) throws {
    let number = UInt32.random(in: 0 ... .max)
    self.folder = folder
    outputPath = folder + "/output-\(number)"
    errorPath = folder + "/errors-\(number)"
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("atolld").path
    // The shell puts the process's own number where only the process itself can know it.
    let words = ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", program] + arguments
    // Most tests begin with a store that the daemon makes; those about that say otherwise.
    let environment = ["ATOLLD_CREATE": "yes"].merging(environment) { $1 }
    processID = try Self.start(
      listener == nil ? [program] + arguments : words, output: outputPath, errors: errorPath,
      environment: environment, listener: listener)
    let thread = Thread { [ended, processID] in
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      ended.keep(
        Ended(exitCode: signal == 0 ? status >> 8 & 0xFF : signal, isBySignal: signal != 0))
    }
    thread.start()
  }

  deinit { if !ended.isKept { kill(processID, SIGKILL) } }

  func send(_ signal: Int32) { kill(processID, signal) }

  /// Standard error so far.
  var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }
  /// Standard output so far.
  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// The port, once standard output tells it.
  func port() async throws -> UInt16 { try await port(after: "listening on ") }

  /// The port of the metrics, once standard output tells it.
  func metricsPort() async throws -> UInt16 {
    try await port(after: "metrics at ") { String($0.dropLast("/metrics".count)) }
  }

  private func port(
    after words: String, _ address: @escaping @Sendable (Substring) -> String = { String($0) }
  ) async throws -> UInt16 {
    try await wait { [self] in
      guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix(words) }),
        output.hasSuffix("\n")
      else { return nil }
      return address(line).split(separator: ":").last.flatMap { UInt16($0) }
    }
  }

  /// Waits until standard error holds these words at least `times` times.
  func said(_ words: String, times: Int = 1) async throws {
    _ = try await wait { [self] in
      errors.components(separatedBy: words).count > times ? true : nil
    }
  }

  /// Returns the finding of `look`, once there is one; it looks whenever the folder changes.
  func wait<Value: Sendable>(
    _ look: @escaping @Sendable () -> Value?
  ) async throws -> Value {
    let found = Promise<Value>()
    try await withLoop { [folder] place in
      try await place.run { place throws(EventLoopError) in
        func check() { if let value = look() { found.keep(value) } }
        _ = try FileWatch(path: folder, loop: place.loop) { _ in check() }
        check()
      }
      _ = try await found.value()
    }
    return try await found.value()
  }

  private static func start(
    _ arguments: [String], output: String, errors: String, environment: [String: String],
    listener: Int32?
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o600)
    if let listener { posix_spawn_file_actions_adddup2(&actions, listener, 3) }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, arguments[0], &actions, nil, &words, &variables)
    guard code == 0 else { throw NotStarted(code: code) }
    return processID
  }
}
