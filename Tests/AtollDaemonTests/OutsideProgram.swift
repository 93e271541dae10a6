import Foundation
import LoopTestKit
import TestKit

/// A program that is not ours, or a command of ours: run to its end, with what it printed.
struct OutsideProgram {
  let exitCode: Int32
  /// Standard output and standard error.
  let text: String

  /// Runs a shell command; what it reads from standard input is empty.
  ///
  /// Started with `posix_spawn`, for the reason `DaemonProcess` gives.
  static func run(
    _ command: String, _ arguments: [String] = [], within bound: Duration = .seconds(60)
  ) async throws -> OutsideProgram {
    let ended = Promise<OutsideProgram>()
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("output")
    let child = try start(["/bin/sh", "-c", command, "sh"] + arguments, output: path)
    let thread = Thread {
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      ended.keep(OutsideProgram(exitCode: status >> 8 & 0xFF, text: text))
    }
    thread.start()
    do {
      return try await ended.value(within: bound)
    } catch {
      if !ended.isKept { kill(child, SIGKILL) }
      throw error
    }
  }

  /// Runs `atoll`.
  static func atoll(_ arguments: String...) async throws -> OutsideProgram {
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("atoll").path
    return try await run("exec \"$@\"", [program] + arguments)
  }

  private static func start(_ words: [String], output: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, words[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw DaemonProcess.NotStarted(code: code) }
    return child
  }
}
