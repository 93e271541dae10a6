import AtollNode
import AtollTransport
import Logging

/// The differences between the settings in effect and those that were read again.
struct SettingsChange {
  /// The changes that were made at once, a sentence each.
  private(set) var done: [String] = []
  /// Keys whose new values count from the next start on.
  private(set) var waiting: [String] = []

  init(from old: Settings, to new: Settings) {
    record("store", old.node.stores, new.node.stores)
    record("peer", old.node.peers, new.node.peers)
    if old.logLevel != new.logLevel { done.append("log-level is \(new.logLevel.rawValue)") }
    if old.logFormat != new.logFormat { done.append("log-format is \(new.logFormat.rawValue)") }
    if old.node.listen != new.node.listen { waiting.append("listen") }
    if old.node.mayCreate != new.node.mayCreate { waiting.append("create") }
    if old.portFile != new.portFile { waiting.append("port-file") }
    if old.node.protection != new.node.protection { waiting.append("security") }
    if old.node.snapshotChangesets != new.node.snapshotChangesets {
      waiting.append("snapshot-after")
    }
    if old.node.truncationAge != new.node.truncationAge { waiting.append("truncate-after") }
    if old.node.identityFile != new.node.identityFile { waiting.append("identity") }
    if old.node.authorityFile != new.node.authorityFile { waiting.append("authority") }
    if old.node.memoryBytes != new.node.memoryBytes { waiting.append("memory") }
    if old.node.peerMemoryBytes != new.node.peerMemoryBytes { waiting.append("peer-memory") }
    if old.metrics != new.metrics { waiting.append("metrics") }
    if old.studio != new.studio { waiting.append("studio") }
    if old.studioWrites != new.studioWrites { waiting.append("studio-writes") }
  }

  private mutating func record<Value: Hashable>(_ key: String, _ old: [Value], _ new: [Value]) {
    for value in new where !old.contains(value) { done.append("\(key) \(value) added") }
    for value in old where !new.contains(value) { done.append("\(key) \(value) removed") }
  }
}
