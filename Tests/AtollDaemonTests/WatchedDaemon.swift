import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// A daemon whose health is asked for in every way that there is: over HTTP, by `atoll status`, by its
/// metrics and its log.
struct WatchedDaemon {
  let store: String
  let process: DaemonProcess
  let metricsPort: UInt16

  /// Starts a daemon for the store at `store`, whose output goes to the store's folder.
  init(_ store: String, _ arguments: [String] = []) async throws {
    self.store = store
    process = try DaemonProcess(
      ["--store", store, "--metrics", "127.0.0.1:0"] + arguments,
      in: URL(fileURLWithPath: store).deletingLastPathComponent().path)
    metricsPort = try await process.metricsPort()
  }

  var address: String {
    get async throws { "127.0.0.1:\(try await process.port())" }
  }

  func health() async throws -> String { try await fetch("/health", at: metricsPort) }

  /// Waits until the condition is told over HTTP, and looks that all others tell it too.
  func shows(
    _ kind: HealthCondition.Kind, within bound: Duration = .seconds(40),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let health = try await health(within: bound) { $0.contains("\"\(kind.rawValue)\"") }
    #expect(health.contains(kind.severity.rawValue), sourceLocation: sourceLocation)
    if kind.severity == .failing {
      #expect(health.hasPrefix("HTTP/1.1 503 "), sourceLocation: sourceLocation)
      #expect(health.contains("\"status\":\"failing\""), sourceLocation: sourceLocation)
    } else {
      #expect(!health.contains("\"status\":\"ok\""), sourceLocation: sourceLocation)
    }
    // The status is published a quarter of a second later at most, and written by another thread.
    let status = try await status { $0.text.contains("\(kind.rawValue): ") }
    let codes: [Int32] = kind.severity == .failing ? [4] : [3, 4]
    #expect(codes.contains(status.exitCode), "\(status.text)", sourceLocation: sourceLocation)
    if HealthCondition.Kind.ofStores.contains(kind) {
      let metrics = try await fetch("/metrics", at: metricsPort)
      #expect(gauge(of: kind, in: metrics) == 1, sourceLocation: sourceLocation)
      #expect(begun(kind) == 1, "\(process.errors)", sourceLocation: sourceLocation)
    }
  }

  /// Waits until the condition is over, and looks that it was logged once that it is.
  func isOver(
    _ kind: HealthCondition.Kind, within bound: Duration = .seconds(40),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    _ = try await health(within: bound) { !$0.contains("\"\(kind.rawValue)\"") }
    let metrics = try await fetch("/metrics", at: metricsPort)
    #expect(gauge(of: kind, in: metrics) == 0, sourceLocation: sourceLocation)
    let errors = process.errors
    let ends = errors.components(separatedBy: "\(kind.rawValue) is over").count - 1
    #expect(ends == 1 && begun(kind) == 1, "\(errors)", sourceLocation: sourceLocation)
  }

  private func begun(_ kind: HealthCondition.Kind) -> Int {
    let errors = process.errors
    return errors.components(separatedBy: ": \(kind.rawValue): ").count - 1
  }

  private func gauge(of kind: HealthCondition.Kind, in metrics: String) -> Double? {
    let line = metrics.split(separator: "\n").first {
      $0.hasPrefix("atoll_condition{") && $0.contains("condition=\"\(kind.rawValue)\"")
    }
    return line?.split(separator: " ").last.flatMap { Double($0) }
  }

  /// Asks for the health until it is as wanted, at most ten times a second.
  func health(
    within bound: Duration, where isWanted: (String) -> Bool
  ) async throws -> String {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: bound)
    while true {
      let health = try await health()
      if isWanted(health) { return health }
      try #require(clock.now < end, "the health is \(health)")
      try await clock.sleep(for: .milliseconds(100))
    }
  }

  /// Runs `atoll status` until it is as wanted.
  func status(
    where isWanted: (OutsideProgram) -> Bool
  ) async throws -> OutsideProgram {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(20))
    while true {
      let status = try await OutsideProgram.atoll("status", store)
      if isWanted(status) { return status }
      try #require(clock.now < end, "the status is \(status.text)")
      try await clock.sleep(for: .milliseconds(100))
    }
  }
}
