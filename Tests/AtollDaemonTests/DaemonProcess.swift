import AtollEventLoop
import Foundation
import LoopTestKit

/// A running `atolld`, and what it says.
final class DaemonProcess: Sendable {
  struct Ended: Sendable {
    var exitCode: Int32
    var isBySignal: Bool
  }

  /// The port, as the first line of standard output tells it.
  let port = Promise<UInt16>()
  let ended = Promise<Ended>()
  let errors = Shared("")
  private let process: Process

  init(_ arguments: [String]) throws {
    let process = Process()
    self.process = process
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("atolld")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    let log = Pipe()
    process.standardError = log
    output.fileHandleForReading.readabilityHandler = { [port] handle in
      let text = String(decoding: handle.availableData, as: UTF8.self)
      if text.isEmpty { handle.readabilityHandler = nil }
      guard text.hasPrefix("listening on "), text.hasSuffix("\n"),
        let colon = text.lastIndex(of: ":"),
        let number = UInt16(text[text.index(after: colon)...].dropLast())
      else { return }
      port.keep(number)
    }
    log.fileHandleForReading.readabilityHandler = { [errors] handle in
      let text = String(decoding: handle.availableData, as: UTF8.self)
      if text.isEmpty { handle.readabilityHandler = nil }
      errors.withLock { $0 += text }
    }
    process.terminationHandler = { [ended] process in
      ended.keep(
        Ended(
          exitCode: process.terminationStatus,
          isBySignal: process.terminationReason == .uncaughtSignal))
    }
    try process.run()
  }

  var processID: Int32 { process.processIdentifier }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
