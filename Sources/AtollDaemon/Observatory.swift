import AtollEventLoop
import AtollNode
import Foundation
import Logging

/// What operators and their programs can ask a running daemon: metrics, and whether it is well.
///
///     /metrics    the text of Prometheus
///     /health     200 while the daemon does its work, 503 while it does not; JSON says why
struct Observatory: Sendable {
  private let node: Node
  private let registry: MetricRegistry
  private let watchdog: LoopWatchdog

  init(_ node: Node, registry: MetricRegistry, watchdog: LoopWatchdog) {
    self.node = node
    self.registry = registry
    self.watchdog = watchdog
  }

  /// The names of all metrics with what they say.
  static let help = Dictionary(
    uniqueKeysWithValues: Metric.allCases.map { ($0.rawValue, $0.help) }
  ).merging(ProcessMeters.help) { $1 }

  func answer(_ request: HTTPRequest, _ process: ProcessMeters) async -> HTTPResponse {
    switch request.path {
    case "/metrics":
      process.measure()
      // A loop that does not answer is not waited for: what was measured before is told.
      if watchdog.blockedFor == nil { await node.measure() }
      let text = registry.text(help: Self.help)
      return HTTPResponse(.ok, type: "text/plain; version=0.0.4; charset=utf-8", body: text)
    case "/health": return await health()
    default: return HTTPResponse(.notFound, "there are /metrics and /health here")
    }
  }

  private func health() async -> HTTPResponse {
    if let blocked = watchdog.blockedFor {
      let report = HealthReport(
        status: "failing", problems: ["the event loop has not answered for \(blocked)"], stores: [])
      return HTTPResponse(.unavailable, type: "application/json", body: report.json)
    }
    let health = await node.health()
    let status = health.isWorking ? health.hasProblems ? "degraded" : "ok" : "failing"
    let report = HealthReport(
      status: status, problems: health.stores.flatMap(\.problems), stores: health.stores)
    return HTTPResponse(
      health.isWorking ? .ok : .unavailable, type: "application/json", body: report.json)
  }
}

/// What `/health` answers.
private struct HealthReport: Encodable {
  /// `ok`, `degraded` while a person should look at something, `failing` while work is not done.
  let status: String
  let problems: [String]
  let stores: [NodeHealth.Store]

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{}\n" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
