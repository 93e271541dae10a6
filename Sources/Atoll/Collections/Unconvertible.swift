// MARK: - What does not convert

extension CollectionBase {
  /// Stops at an element that does not convert: the text of the original, and where it is.
  func stopUnconvertible(_ stored: _Stored, _ type: Any.Type) -> Never {
    Trap.stop(unconvertible(stored, type).message)
  }

  /// The error of an element that does not convert.
  func unconvertible(
    _ stored: _Stored, _ type: Any.Type, _ where: String? = nil
  ) -> Store.Error {
    var sentence = "Could not convert value '\(stored)' to type '\(type)'."
    if let place {
      let object = place.row.table.object(place.row.id).shortDescription
      sentence += " An element of property '\(place.name)', in the object \(object)."
    }
    if let `where` { sentence += " It has \(`where`)." }
    return Store.Error(.invalidValue, sentence)
  }
}

// MARK: - Values of unknown form

/// The elements of an array, a set or another sequence that came as `Any`; nil if it is none.
func elementsOf(_ any: Any) -> [Any]? {
  if let array = any as? [Any] { return array }
  if any is any _Scalar || any is any Collection<UInt8> || any is [AnyHashable: Any] { return nil }
  guard let sequence = any as? any Sequence else { return nil }
  return sequence.map { $0 }
}
