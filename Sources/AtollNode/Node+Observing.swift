import AtollPresence
internal import CoreMetrics
package import Logging

extension Node {
  /// Brings every metric up to date that is not counted as things happen.
  package func measure() { for hub in hubs { hub.measure() } }

  /// The state of each store, and of those that could not be opened.
  package func health() -> NodeHealth {
    let unopened = notOpened.sorted { $0.key < $1.key }.map {
      HealthCondition(.storeNotOpened, "the store \($0.key) is not served: \($0.value)")
    }
    return NodeHealth(stores: hubs.map { $0.health() }, conditions: unopened)
  }

  /// Begins to look whether the node's loop answers, from a thread of its own; `onAnswer` is called
  /// at every answer.
  package nonisolated func makeWatchdog(
    logger: Logger, onAnswer: @escaping @Sendable () -> Void = {}
  ) -> LoopWatchdog {
    LoopWatchdog(loop, logger: logger, metrics: MetricSource(metrics), onAnswer: onAnswer)
  }
}
