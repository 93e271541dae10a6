import CoreMetrics
import Synchronization

/// A number that only grows.
final class CounterSeries: CounterHandler {
  private let value = Atomic<Int64>(0)

  var current: Int64 { value.load(ordering: .relaxed) }

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

  func reset() { value.store(0, ordering: .relaxed) }
}

/// The last of several numbers.
final class GaugeSeries: RecorderHandler {
  private let bits = Atomic<UInt64>(0)

  var current: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}

/// A histogram: the numbers below each of some bounds, their count, and their sum.
///
/// The bounds suit seconds: from what a warm write takes to what a person gives up at.
final class HistogramSeries: RecorderHandler, TimerHandler {
  static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  struct Values {
    /// By bound, those above the one before it; the last has no bound.
    var counts = [UInt64](repeating: 0, count: HistogramSeries.bounds.count + 1)
    var sum = 0.0
  }

  private let values = Mutex(Values())

  var current: Values { values.withLock { $0 } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
    values.withLock { values in
      values.counts[place] += 1
      values.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}

extension MetricRegistry.Series {
  var kind: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }

  var object: AnyObject {
    switch self {
    case .counter(let counter): counter
    case .gauge(let gauge): gauge
    case .histogram(let histogram): histogram
    }
  }

  /// Writes the lines of one series.
  func write(_ name: String, _ labels: String, to text: inout String) {
    switch self {
    case .counter(let counter): text += "\(name)\(labels) \(counter.current)\n"
    case .gauge(let gauge): text += "\(name)\(labels) \(Self.number(gauge.current))\n"
    case .histogram(let histogram):
      let values = histogram.current
      var count: UInt64 = 0
      for (place, own) in values.counts.enumerated() {
        count += own
        let bound =
          place < HistogramSeries.bounds.count
          ? Self.number(HistogramSeries.bounds[place]) : "+Inf"
        text += "\(name)_bucket\(Self.labels(labels, bound)) \(count)\n"
      }
      text += "\(name)_sum\(labels) \(Self.number(values.sum))\n"
      text += "\(name)_count\(labels) \(count)\n"
    }
  }

  private static func labels(_ labels: String, _ bound: String) -> String {
    let own = "le=\"\(bound)\""
    return labels.isEmpty ? "{\(own)}" : "\(labels.dropLast()),\(own)}"
  }

  /// Whole numbers without a point, as most readers write them.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
