import AtollChanges
import AtollStorage
import AtollVocabulary

/// What `atoll verify --against` prints.
enum ComparisonText {
  /// `Club 42: here alive, digest …; there deleted`.
  static func line(_ difference: DigestSearch.Difference) -> String {
    "\(plain(difference.className)) \(plain(difference.key)): here \(text(difference.here)); "
      + "there \(text(difference.there))"
  }

  static func summary(_ outcome: DigestSearch.Outcome) -> String {
    let exchanges = "\(outcome.exchanges) exchange\(outcome.exchanges == 1 ? "" : "s")"
    let moment =
      outcome.isSameFrontier
      ? "both have applied the same"
      : "they have not applied the same, so that differences may only be delayed"
    guard !outcome.differences.isEmpty else {
      return "equal: \(exchanges), digest \(outcome.here.digest); \(moment)"
    }
    return
      "different: \(outcome.isCut ? "at least " : "")\(outcome.differences.count) objects, "
      + "\(exchanges); \(moment)"
  }

  /// What another replica said, without what would move a terminal's cursor.
  private static func plain(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  private static func text(_ object: DigestedObject?) -> String {
    guard let object else { return "unknown" }
    return object.generation.isAlive ? "digest \(object.digest)" : "deleted"
  }
}
