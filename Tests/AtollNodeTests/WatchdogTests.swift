import AtollEventLoop
import AtollNode
import CoreMetrics
import Dispatch
import Logging
import LoopTestKit
import Testing

@Suite struct WatchdogTests {
  /// Keeps log lines, and promises the first that holds some words.
  private struct Recorder: LogHandler {
    let lines = Shared([String]())
    let blocked = Promise<String>()
    let over = Promise<String>()
    let onBlocked: @Sendable () -> Void
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let text = "\(event.message)"
      if text.contains("has not answered for") {
        blocked.keep(text)
        onBlocked()
      }
      if text.contains("answers again") { over.keep(text) }
    }
  }

  @Test func `a blocked loop is reported while it is, and when it is over`() async throws {
    let loop = try EventLoop(name: "test")
    let release = DispatchSemaphore(value: 0)
    let recorder = Recorder { release.signal() }
    let logger = Logger(label: "test") { _ in recorder }
    let answers = Promise<Bool>()
    let watchdog = LoopWatchdog(
      loop, logger: logger, metrics: MetricSource(NOOPMetricsHandler.instance)
    ) { answers.keep(true) }
    #expect(try await answers.value())
    #expect(watchdog.blockedFor == nil)
    // Blocked until the watchdog has noticed.
    loop.perform { _ = release.wait(timeout: .now() + 20) }
    #expect(try await recorder.blocked.value(within: .seconds(20)).contains("\"test\""))
    #expect(try await recorder.over.value(within: .seconds(20)).contains("it was blocked for"))
    watchdog.stop()
    await loop.stop()
  }
}
