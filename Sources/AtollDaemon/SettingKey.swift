/// The name of a setting: as a key of the file, a flag, and a variable of the environment.
enum SettingKey: String, CaseIterable {
  case store
  case data
  /// Tells whether a store that is missing is made.
  case create
  case listen
  case peer
  case portFile = "port-file"
  case logLevel = "log-level"
  case logFormat = "log-format"
  case metrics
  case metricsBeyondLoopback = "metrics-beyond-loopback"
  /// The address of the studio, and whether it may write.
  case studio
  case studioWrites = "studio-writes"
  /// The links that are secured: `automatic`, `always` or `never`.
  case security
  case snapshotAfter = "snapshot-after"
  case truncateAfter = "truncate-after"
  case identity
  case authority
  /// The memory for all peers together, and for one of them.
  case memory
  case peerMemory = "peer-memory"

  /// True if it may be given several times; in the environment the values have commas between.
  var isRepeatable: Bool { self == .store || self == .peer }

  var flag: String { "--\(rawValue)" }

  /// The variable that replaces the file's value: `ATOLLD_LOG_LEVEL` for `log-level`.
  var variable: String {
    Self.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }

  /// Variables of this prefix are settings; one that no key has is a mistake.
  static let variablePrefix = "ATOLLD_"
  /// Names the settings file, as `--config` does.
  static let fileVariable = "ATOLLD_CONFIG"
}
