import AtollEventLoop
import Foundation
import LoopTestKit

/// A running `atolld`, and what it says.
///
/// Started with `posix_spawn`: Foundation's `Process` notices an end only when all processes that
/// were started meanwhile have ended too.
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
  init(_ arguments: [String], in folder: String) throws {
    let number = UInt32.random(in: 0 ... .max)
    self.folder = folder
    outputPath = folder + "/output-\(number)"
    errorPath = folder + "/errors-\(number)"
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("atolld").path
    processID = try Self.start([program] + arguments, output: outputPath, errors: errorPath)
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

  /// The port, once standard output tells it.
  func port() async throws -> UInt16 {
    let port = Promise<UInt16>()
    try await withLoop { [folder, outputPath] place in
      try await place.run { place throws(EventLoopError) in
        func look() {
          guard let text = try? String(contentsOfFile: outputPath, encoding: .utf8),
            text.hasPrefix("listening on "), text.hasSuffix("\n"),
            let colon = text.lastIndex(of: ":"),
            let number = UInt16(text[text.index(after: colon)...].dropLast())
          else { return }
          port.keep(number)
        }
        _ = try FileWatch(path: folder, loop: place.loop) { _ in look() }
        look()
      }
      _ = try await port.value()
    }
    return try await port.value()
  }

  private static func start(
    _ arguments: [String], output: String, errors: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o600)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, arguments[0], &actions, nil, &words, environ)
    guard code == 0 else { throw NotStarted(code: code) }
    return processID
  }
}
