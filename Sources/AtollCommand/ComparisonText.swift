import AtollInspect

/// The lines of `atoll verify --against`.
enum ComparisonText {
  /// `Club 42: here alive, digest …; there deleted`.
  static func line(_ difference: ComparisonReport.Difference) -> String {
    "\(plain(difference.class)) \(plain(difference.key)): here \(text(difference.here)); "
      + "there \(text(difference.there))"
  }

  static func summary(_ report: ComparisonReport) -> String {
    let exchanges = "\(report.exchanges) exchange\(report.exchanges == 1 ? "" : "s")"
    let moment =
      report.isSameFrontier
      ? "both have applied the same"
      : "they have not applied the same, so that differences may only be delayed"
    guard !report.differences.isEmpty else {
      return "equal: \(exchanges), digest \(report.digest); \(moment)"
    }
    return
      "different: \(report.isCut ? "at least " : "")\(report.differences.count) objects, "
      + "\(exchanges); \(moment)"
  }

  /// The words of another replica, without what would move a terminal's cursor.
  private static func plain(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  private static func text(_ object: ComparisonReport.Side?) -> String {
    guard let object else { return "unknown" }
    return object.digest.map { "digest \($0)" } ?? "deleted"
  }
}
