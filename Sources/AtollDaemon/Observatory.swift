import AtollEventLoop
import AtollNode
import AtollPresence
import AtollVocabulary
import Foundation
import Logging

/// The metrics and the health of a running daemon, for operators and their programs.
///
///     /metrics    the text of Prometheus
///     /health     200 while the daemon does its work, 503 while a condition is `failing`; JSON lists
///                 the conditions (`HealthCondition`)
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
    let health: NodeHealth
    if let blocked = watchdog.blockedFor {
      // A loop that does not answer is not waited for.
      let condition = HealthCondition(
        .loopBlocked,
        "the event loop has not answered for \(blocked): peers are not heard meanwhile")
      health = NodeHealth(stores: [], conditions: [condition])
    } else {
      health = await node.health()
    }
    return HTTPResponse(
      health.all.severity == .failing ? .unavailable : .ok, type: "application/json",
      body: HealthReport(health).json)
  }
}

/// The answer of `/health`.
private struct HealthReport: Encodable {
  /// One store, with the conditions that are its own.
  struct Store: Encodable {
    let path: String
    let peersKnown: Int
    let peersConnected: Int
    let waitingBytes: Int
    let conditions: [HealthCondition.Report]

    init(_ store: NodeHealth.Store) {
      path = store.path
      peersKnown = store.peersKnown
      peersConnected = store.peersConnected
      waitingBytes = store.waitingBytes
      conditions = store.conditions.map(HealthCondition.Report.init)
    }
  }

  /// `ok`, `degraded` while a person should look at something, `failing` while work is not done.
  let status: String
  /// Those of the node as a whole.
  let conditions: [HealthCondition.Report]
  let stores: [Store]

  init(_ health: NodeHealth) {
    status = health.all.verdict
    conditions = health.conditions.map(HealthCondition.Report.init)
    stores = health.stores.map(Store.init)
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{}\n" }
    return String(decoding: data, as: UTF8.self).shownAsJSON + "\n"
  }
}
