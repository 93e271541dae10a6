import Foundation

/// A child process: its lines as they come, and an end that is never waited for without a bound.
///
/// Callable from any thread.
final class Program: Sendable {
  let name: String
  /// Standard output and standard error, line by line.
  let output = LineBuffer()
  let processID: Int32
  private let process: Process
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
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    if let log {
      let file = try Program.appending(log)
      process.standardOutput = file
      process.standardError = file
      process.terminationHandler = { [output] _ in output.append(Data()) }
    } else {
      let pipe = Program.pipe(to: output)
      process.standardOutput = pipe
      process.standardError = pipe
    }
    do {
      try process.run()
    } catch {
      throw ClusterError.notStarted(name, reason: "\(executable.path): \(error)")
    }
    self.name = name
    self.process = process
    self.cleanUp = cleanUp
    self.log = log
    processID = process.processIdentifier
    cleanUp.add(processID)
  }

  /// A pipe whose other end is read by a thread of its own.
  private static func pipe(to output: LineBuffer) -> Pipe {
    let pipe = Pipe()
    let reader = pipe.fileHandleForReading
    Thread.detachNewThread {
      while case let bytes = reader.availableData, !bytes.isEmpty { output.append(bytes) }
      output.append(Data())
    }
    return pipe
  }

  private static func appending(_ log: URL) throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: log.path) {
      _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    }
    let handle = try FileHandle(forWritingTo: log)
    try handle.seekToEnd()
    return handle
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

  /// What it wrote last, as far as nobody has taken it.
  var lastLines: [String] {
    guard let log, let text = try? String(contentsOf: log, encoding: .utf8) else {
      return output.rest.suffix(20)
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
      throw ClusterError.failed(name, code: ending.code, lines: ending.lines.suffix(20))
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
      throw ClusterError.timeOut(name, waited: bound, lines: lines.suffix(20))
    }
    process.waitUntilExit()
    cleanUp.remove(processID)
    let isExit = process.terminationReason == .exit
    return (isExit ? process.terminationStatus : -process.terminationStatus, lines)
  }

  /// Ends the process without a chance to say anything.
  func kill() {
    if process.isRunning { Foundation.kill(processID, SIGKILL) }
    process.waitUntilExit()
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
