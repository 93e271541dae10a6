public import Atoll
import Foundation

// Access of models to several properties by their names, as `NSObject` has it on Apple's systems.
extension ObjectBase {
  /// The stored values of the properties of these names; `NSNull` for null.
  ///
  /// Each is what `value(forKey:)` gives.
  public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  /// Sets the properties of these names, in no order; `NSNull` makes nil.
  ///
  /// Each is set as `setValue(_:forKey:)` does.
  public final func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values { setValue(value is NSNull ? nil : value, forKey: key) }
  }
}

extension ObjectBase {
  /// The class as it is declared; Realm's is nil before a realm was opened with it.
  public static func sharedSchema() -> ObjectSchema? { ObjectSchema(declaredBy: self) }
}
