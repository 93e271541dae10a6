import AtollVocabulary
import CoreMetrics
import Synchronization

/// All metrics of the process, by name and labels, and their text for Prometheus.
///
/// No package for this is in reach of every build of ours, and the format is three pages long:
/// version 0.0.4 of the text exposition format. Durations become histograms in seconds.
final class MetricRegistry: MetricsFactory {
  /// One metric with one set of labels.
  enum Series {
    case counter(CounterSeries)
    case gauge(GaugeSeries)
    case histogram(HistogramSeries)
  }

  private struct Key: Hashable {
    let name: String
    /// As they are written: `{store="a"}`, or nothing.
    let labels: String
  }

  private let series = Mutex<[Key: Series]>([:])

  // MARK: What the API asks for

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let made = find(label, dimensions) { .counter(CounterSeries()) }
    if case .counter(let counter) = made { return counter }
    return CounterSeries()
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    let made = find(label, dimensions) {
      aggregate ? .histogram(HistogramSeries()) : .gauge(GaugeSeries())
    }
    return switch made {
    case .gauge(let gauge): gauge
    case .histogram(let histogram): histogram
    case .counter: GaugeSeries()
    }
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let made = find(label, dimensions) { .histogram(HistogramSeries()) }
    if case .histogram(let histogram) = made { return histogram }
    return HistogramSeries()
  }

  func destroyCounter(_ handler: any CounterHandler) { forget(handler) }

  func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }

  func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

  /// The series of that name and those labels, made if there is room; others count for nobody.
  private func find(
    _ name: String, _ dimensions: [(String, String)], make: () -> Series
  ) -> Series {
    let key = Key(name: name, labels: Self.text(of: dimensions))
    return series.withLock { series in
      if let known = series[key] { return known }
      let made = make()
      if series.count < Limits.metricSeries { series[key] = made }
      return made
    }
  }

  private func forget(_ handler: AnyObject) {
    series.withLock { series in
      guard let key = series.first(where: { $0.value.object === handler })?.key else { return }
      series[key] = nil
    }
  }

  // MARK: The text

  /// Every metric in the order of names, each with its help if there is one.
  func text(help: [String: String]) -> String {
    let all = series.withLock { Array($0) }.sorted {
      ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
    }
    var text = ""
    var name = ""
    for (key, series) in all {
      if key.name != name {
        name = key.name
        if let words = help[name] { text += "# HELP \(name) \(words)\n" }
        text += "# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : series.kind)\n"
      }
      series.write(name, key.labels, to: &text)
    }
    return text
  }

  /// `{store="a",peer="b"}`, with backslashes, quotes and line ends escaped.
  private static func text(of dimensions: [(String, String)]) -> String {
    guard !dimensions.isEmpty else { return "" }
    let pairs = dimensions.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }
}
