import Foundation
import Synchronization

/// A child process: its lines as they come, and an end that is never waited for without a bound.
///
/// Callable from any thread.
final class Program: Sendable {
  let name: String
  /// Standard output and standard error, line by line.
  let output = LineBuffer()
  let processID: Int32
  private let process: ChildProcess
  private let log: URL?
  private let cleanUp: CleanUp

  /// Starts an executable.
  ///
  /// - Parameters:
  ///   - executable: Where it is.
  ///   - arguments: What it is told.
  ///   - name: What messages call it.
  ///   - log: A file that takes what it writes, instead of ``output``; for a process that may
  ///     outlive this one.
  ///   - cleanUp: Ends it if nobody else does.
  /// - Throws: ``ClusterError/notStarted(_:reason:)``
  init(
    _ executable: URL, _ arguments: [String], name: String, log: URL? = nil, cleanUp: CleanUp
  ) throws {
    do {
      if let log {
        process = try Program.start(executable, arguments, appendingTo: log, ending: output)
      } else {
        process = try Program.start(executable, arguments, tellingInto: output)
      }
    } catch {
      throw ClusterError.notStarted(name, reason: "\(executable.path): \(error)")
    }
    self.name = name
    self.cleanUp = cleanUp
    self.log = log
    processID = process.processID
    cleanUp.add(processID)
  }

  /// Held while a child is started: a pipe is not to be inherited by another one.
  private static let spawning = Mutex(())

  /// Its output comes line by line; a thread of its own reads the pipe.
  private static func start(
    _ executable: URL, _ arguments: [String], tellingInto output: LineBuffer
  ) throws -> ChildProcess {
    let (process, reader) = try spawning.withLock { _ in
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      defer { close(ends[1]) }
      return (try ChildProcess(executable.path, arguments, output: ends[1]), reader)
    }
    Thread.detachNewThread {
      while case let bytes = reader.availableData, !bytes.isEmpty { output.append(bytes) }
      output.append(Data())
    }
    return process
  }

  /// Its output goes to the end of a file, for a process that may outlive this one.
  private static func start(
    _ executable: URL, _ arguments: [String], appendingTo log: URL, ending output: LineBuffer
  ) throws -> ChildProcess {
    let file = open(log.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    let process = try spawning.withLock { _ in
      try ChildProcess(executable.path, arguments, output: file)
    }
    Thread.detachNewThread {
      process.wait()
      output.append(Data())
    }
    return process
  }

  /// An executable of this package, next to the one that runs.
  static func sibling(_ name: String) throws -> URL {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let url = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw ClusterError.notBuilt(name, folder: url.deletingLastPathComponent().path)
    }
    return url
  }

  var isRunning: Bool { process.isRunning }

  /// The last lines of its output, at most 20.
  var lastLines: [String] {
    guard let log, let text = try? String(contentsOf: log, encoding: .utf8) else {
      return output.last
    }
    return text.split(separator: "\n").suffix(20).map(String.init)
  }

  /// Waits for a line that satisfies a condition, and hands it out.
  func line(
    within bound: Duration, _ isWanted: (String) -> Bool
  ) throws -> String {
    let deadline = Date(timeIntervalSinceNow: bound.seconds)
    while let line = output.next(until: deadline) {
      if isWanted(line) { return line }
    }
    throw ClusterError.timeOut(name, waited: bound, lines: lastLines)
  }

  /// Waits for the end, which has to be a success.
  ///
  /// - Throws: ``ClusterError/failed(_:code:lines:)``, or what ``end(within:onLine:)`` throws.
  func waitForExit(within bound: Duration, onLine: (String) -> Void = { _ in }) throws {
    let ending = try end(within: bound, onLine: onLine)
    guard ending.code == 0 else {
      throw ClusterError.failed(name, code: ending.code, lines: lastLines)
    }
  }

  /// Waits for the end, however it is.
  ///
  /// - Returns: the exit code, or minus the number of the signal that ended it; and every line that
  ///   was not taken before.
  /// - Throws: ``ClusterError/timeOut(_:waited:lines:)``; the process then goes on.
  func end(
    within bound: Duration, onLine: (String) -> Void = { _ in }
  ) throws -> (code: Int32, lines: [String]) {
    let deadline = Date(timeIntervalSinceNow: bound.seconds)
    var lines: [String] = []
    while let line = output.next(until: deadline) {
      onLine(line)
      lines.append(line)
    }
    guard output.waitForEnd(until: deadline) else {
      throw ClusterError.timeOut(name, waited: bound, lines: lastLines)
    }
    let code = process.wait()
    cleanUp.remove(processID)
    return (code, lines)
  }

  /// Ends the process without a chance to say anything.
  func kill() {
    if process.isRunning { Foundation.kill(processID, SIGKILL) }
    process.wait()
    cleanUp.remove(processID)
  }

  /// Asks the process to end, and ends it if it does not within the bound.
  ///
  /// - Returns: whether it ended by itself.
  @discardableResult
  func terminate(within bound: Duration) -> Bool {
    if process.isRunning { Foundation.kill(processID, SIGTERM) }
    let isEnded = output.waitForEnd(until: Date(timeIntervalSinceNow: bound.seconds))
    kill()
    return isEnded
  }
}

extension Duration {
  /// As Foundation counts time.
  var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
  }
}
