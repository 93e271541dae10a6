package import CoreMetrics

/// Makes the counters and gauges of one store, or of the loop.
///
/// Without a factory, metrics count for nobody, at no cost.
package struct MetricSource: Sendable {
  private let factory: any MetricsFactory
  private let labels: [(String, String)]

  package init(_ factory: any MetricsFactory, labels: [(String, String)] = []) {
    self.factory = factory
    self.labels = labels
  }

  /// The same with one label more.
  func labeled(_ name: String, _ value: String) -> MetricSource {
    MetricSource(factory, labels: labels + [(name, value)])
  }

  func counter(_ metric: Metric) -> CoreMetrics.Counter {
    CoreMetrics.Counter(label: metric.rawValue, dimensions: labels, factory: factory)
  }

  func gauge(_ metric: Metric) -> Gauge {
    Gauge(label: metric.rawValue, dimensions: labels, factory: factory)
  }

  func timer(_ metric: Metric) -> Timer {
    Timer(label: metric.rawValue, dimensions: labels, factory: factory)
  }
}

extension Timer {
  /// Records how long `body` takes, also if it throws.
  func measure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    defer { record(start.duration(to: clock.now)) }
    return try body()
  }

  func record(_ duration: Duration) {
    recordNanoseconds(Int64(clamping: duration.nanoseconds))
  }
}

extension Duration {
  /// At most thirty years are exact.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return Int64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000).partialValue
      &+ attoseconds / 1_000_000_000
  }

  var inSeconds: Double { self / .seconds(1) }
}
