/// The name of a setting: as a key of the file, a flag, and a variable of the environment.
enum SettingKey: String, CaseIterable {
  case store
  case data
  case listen
  case peer
  case portFile = "port-file"
  case logLevel = "log-level"
  case logFormat = "log-format"
  case metrics
  case metricsBeyondLoopback = "metrics-beyond-loopback"
  /// Which links are secured: `automatic`, `always` or `never`.
  case security
  case identity
  case authority

  /// Whether it may be given several times; in the environment the values have commas between.
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

  /// The words of `names` that a misspelt one is most likely meant to be.
  ///
  /// - Returns: Nil if none is close: a third of the letters may differ.
  static func nearest(to name: String, among names: [String]) -> String? {
    let near = names.map { (name: $0, distance: distance(name, $0)) }
      .min { $0.distance < $1.distance }
    guard let near, near.distance <= max(1, near.name.count / 3) else { return nil }
    return near.name
  }

  /// How many letters have to be put in, left out, changed, or exchanged with their neighbour.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for line in a.indices {
      var row = [line + 1]
      for column in b.indices {
        let isSame = a[line] == b[column]
        var steps = min(rows[line][column] + (isSame ? 0 : 1), rows[line][column + 1] + 1)
        steps = min(steps, row[column] + 1)
        let isSwapped =
          line > 0 && column > 0 && a[line] == b[column - 1] && a[line - 1] == b[column]
        if isSwapped { steps = min(steps, rows[line - 1][column - 1] + 1) }
        row.append(steps)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
