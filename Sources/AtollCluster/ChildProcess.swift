import Foundation
import Synchronization

/// A child of this process, made so that it inherits nothing but what it is given.
///
/// Foundation's `Process` learns of a child's end through a socket that children started at the
/// same moment inherit, and then only when they have ended too; here a thread waits for each child.
/// In swift-subprocess 1.0 a child lives within an `async` call that ends with it. Here a daemon is kept as
/// long as its owner likes, is waited for by threads with a bound, and stays after the demonstration if
/// that is asked for.
///
/// Callable from any thread.
final class ChildProcess: Sendable {
  let processID: pid_t
  /// The status of `waitpid`, once the child has ended.
  private let status = Mutex<Int32?>(nil)
  private let ended = DispatchGroup()

  /// Starts an executable with nothing to read, and `output` for all it writes.
  ///
  /// - Throws: `POSIXError` if the system refuses.
  init(_ executable: String, _ arguments: [String], output: Int32) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    var attributes = Self.defaultSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, executable, &actions, &attributes, &words, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.processID = processID
    ended.enter()
    Thread.detachNewThread { [self] in awaitEnd() }
  }

  var isRunning: Bool { status.withLock { $0 == nil } }

  /// Waits for the end.
  ///
  /// - Returns: the exit code, or minus the number of the signal that ended it.
  @discardableResult
  func wait() -> Int32 {
    ended.wait()
    let status = status.withLock { $0 ?? 0 }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }

  private func awaitEnd() {
    var found: Int32 = 0
    while waitpid(processID, &found, 0) < 0 && errno == EINTR {}
    status.withLock { $0 = found }
    ended.leave()
  }

  /// A child does not ignore what this process has chosen to ignore or to block.
  private static func defaultSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    return attributes
  }
}
