import AtollVocabulary

// The questions of a key path recorder to a property, see `KeyPathNames`.
extension TypedProperty {
  /// One of the values that the type takes, by turns.
  func probes(_ round: Int) -> _Stored {
    if let cases = storedCases(of: valueType), !cases.isEmpty { return cases[round % cases.count] }
    if let target = type.target { return embedded(target, round) ?? recordedDefault }
    let probes = type.type.probes.map { _Stored($0) }.filter(converts)
    return probes.isEmpty ? recordedDefault : probes[round % probes.count]
  }

  /// An embedded object that the property maps, with probes for members.
  private func embedded(_ target: ObjectBase.Type, _ round: Int) -> _Stored? {
    let object = target.init()
    for (index, member) in ModelClass.of(target).properties.enumerated()
    where member.type.collection == .none && member.type.target == nil {
      let input = _PropertyInput(member.probe(round + index))
      guard member.take(.stored(input), input, in: object) else { return nil }
    }
    let stored = _Stored(object)
    return converts(stored) ? stored : nil
  }

  /// The default of the declaration or the type.
  private var recordedDefault: _Stored {
    if case .single(let stored)? = explicitDefault?._encodeProperty().content { return stored }
    if case .single(let stored)? = Value._makeDefault()?._encodeProperty().content { return stored }
    stopWithoutDefault()
  }

  /// Tells whether the property's type takes the stored value.
  private func converts(_ stored: _Stored) -> Bool { decoded(stored) != nil }

  private func decoded(_ stored: _Stored) -> Value? {
    Value._readIfConvertible(_Cell(object: InputReader(_PropertyInput(stored)), slot: 0))
  }

  /// Tells whether a value that was read is what the property gives for a stored one.
  func isUnchanged(_ any: Any, as stored: _Stored) -> Bool {
    guard let expected = decoded(stored), let value = any as? Value else { return false }
    guard case .single(let a) = value._encodeProperty().content,
      case .single(let b) = expected._encodeProperty().content
    else { return false }
    // A value that is mapped to an embedded object is another one each time.
    return type.isMapped && type.target != nil ? a.hasSameContents(as: b) : a.isSame(as: b)
  }
}
