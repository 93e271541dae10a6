import CoreMetrics
import Testing

@testable import AtollDaemon

@Suite struct MetricRegistryTests {
  @Test func `counters, gauges and durations are written as Prometheus reads them`() {
    let registry = MetricRegistry()
    let store = [("store", "/a \"b\"\\c\nd")]
    Counter(label: "a_total", dimensions: store, factory: registry).increment(by: 3)
    Counter(label: "a_total", dimensions: store, factory: registry).increment(by: 4)
    Gauge(label: "b_bytes", dimensions: [], factory: registry).record(2.5)
    let timer = Timer(label: "c_seconds", dimensions: [("x", "y")], factory: registry)
    timer.recordMilliseconds(3)
    timer.recordSeconds(20)
    let lines = registry.text(help: ["a_total": "What a is."]).split(separator: "\n")
    #expect(
      lines.prefix(6) == [
        "# HELP a_total What a is.", "# TYPE a_total counter",
        #"a_total{store="/a \"b\"\\c\nd"} 7"#, "# TYPE b_bytes gauge", "b_bytes 2.5",
        "# TYPE c_seconds histogram",
      ])
    #expect(lines.contains(#"c_seconds_bucket{x="y",le="0.0025"} 0"#))
    #expect(lines.contains(#"c_seconds_bucket{x="y",le="0.005"} 1"#))
    #expect(lines.contains(#"c_seconds_bucket{x="y",le="10"} 1"#))
    #expect(lines.contains(#"c_seconds_bucket{x="y",le="+Inf"} 2"#))
    #expect(lines.suffix(2) == [#"c_seconds_sum{x="y"} 20.003"#, #"c_seconds_count{x="y"} 2"#])
  }

  @Test func `a series that was let go is told no more`() {
    let registry = MetricRegistry()
    let gauge = Gauge(label: "a", dimensions: [("peer", "1")], factory: registry)
    gauge.record(1)
    gauge.destroy()
    #expect(registry.text(help: [:]) == "")
  }
}
