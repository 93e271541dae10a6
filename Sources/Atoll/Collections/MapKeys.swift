import AtollVocabulary

/// A type of a `Map`'s keys: `String` alone, so mapped types cannot be keys (rule 11).
public protocol _MapKey: Hashable {
  var _mapKey: String { get }
  init(_mapKey: String)
}

extension String: _MapKey {
  public var _mapKey: String { self }
  public init(_mapKey: String) { self = _mapKey }
}

/// The keys that a map takes.
enum MapKeys {
  /// Why a key is refused; nil if it is not.
  static func refusal(of key: String) -> String? {
    if key.hasPrefix("$") { return "the key '\(key)' starts with '$', which keys may not." }
    if key.utf8.contains(UInt8(ascii: ".")) {
      return
        "the key '\(key)' contains a '.', which keys may not: it separates the steps of a path."
    }
    if key.utf8.count > Limits.keyBytes {
      return "a key of \(key.utf8.count) bytes is longer than \(Limits.keyBytes)."
    }
    return nil
  }
}
