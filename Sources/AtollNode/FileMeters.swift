import AtollPresence
import CoreMetrics
private import Foundation

/// The counters and measurements of a store's writer thread.
struct FileMeters: Sendable {
  let apply: CoreMetrics.Timer
  let logRead: CoreMetrics.Timer
  private let localCommits, remoteCommits: CoreMetrics.Counter
  private let logChangesets, logBytes, databaseBytes, walBytes: Gauge

  init(_ source: MetricSource) {
    apply = source.timer(.applySeconds)
    logRead = source.timer(.logReadSeconds)
    localCommits = source.labeled("origin", "application").counter(.commits)
    remoteCommits = source.labeled("origin", "node").counter(.commits)
    logChangesets = source.gauge(.logChangesets)
    logBytes = source.gauge(.logBytes)
    databaseBytes = source.gauge(.databaseBytes)
    walBytes = source.gauge(.walBytes)
  }

  func recordLocalCommits(_ count: Int64) { localCommits.increment(by: count) }

  func recordRemoteCommits(_ count: Int64) { remoteCommits.increment(by: count) }

  /// Looks how large the files are.
  func measure(_ paths: StorePaths) {
    databaseBytes.record(Self.size(paths.store))
    walBytes.record(Self.size(paths.log))
  }

  func recordLog(changesets: Int, bytes: Int) {
    logChangesets.record(changesets)
    logBytes.record(bytes)
  }

  private static func size(_ path: String) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }
}
