internal import CoreMetrics
package import Logging

extension Node {
  /// Brings every metric up to date that is not counted as things happen.
  package func measure() { for hub in hubs { hub.measure() } }

  /// Whether each store takes what peers send, and what a person should look at.
  package func health() -> NodeHealth { NodeHealth(stores: hubs.map { $0.health() }) }

  /// Begins to look whether the node's loop answers, from a thread of its own; `onAnswer` is called
  /// at every answer.
  package nonisolated func makeWatchdog(
    logger: Logger, onAnswer: @escaping @Sendable () -> Void = {}
  ) -> LoopWatchdog {
    LoopWatchdog(loop, logger: logger, metrics: MetricSource(metrics), onAnswer: onAnswer)
  }
}
