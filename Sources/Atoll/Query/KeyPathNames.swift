import Synchronization

/// The persisted properties that a Swift key path leads through.
///
/// A key path says little about itself, so it is evaluated on objects that record what is read from
/// them. It leads through stored properties if each of its parts reads one property of what the part
/// before led to, and gives what that property answered, whatever it answers. Everything else is
/// computed: what is stored says nothing of it, and no query can ask for it. The result is kept for
/// the life of the process.
package enum KeyPathNames {
  package enum Meaning {
    case names([String])
    case computed(Computed)
  }

  /// A key path that leads to something else than a persisted property.
  package struct Computed {
    fileprivate let refusal: Refusal
    /// Every way to a persisted property that was read, in whichever round.
    package let ways: [String]
    /// Tells whether each round read that one way and nothing else.
    package let readsOneProperty: Bool
    /// Tells whether it is a part of the value of a persisted property.
    let isInsideValue: Bool

    /// Why it leads to nothing stored, and what to do.
    package var sentence: String { refusal.text }
  }

  /// The parts of a sentence; the name of the computed property is looked for when it is said.
  fileprivate enum Refusal {
    case sentence(String)
    case computed(before: String, KeyPathStructure.Part?, after: String)

    var text: String {
      switch self {
      case .sentence(let sentence): return sentence
      case .computed(let before, let part, let after):
        let name = part.map { $0.name ?? SymbolNames.property(of: $0.text) ?? $0.text }
        return before + (name.map { "the property '\($0)'" } ?? "a property") + after
      }
    }
  }

  private static let known = Mutex<[Key: Meaning]>([:])

  /// Key paths are immutable, whatever the compiler knows of their captures.
  private struct Key: Hashable, @unchecked Sendable {
    let path: AnyKeyPath
  }

  package static func meaning<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> Meaning {
    let key = Key(path: path)
    if let meaning = known.withLock({ $0[key] }) { return meaning }
    let meaning = KeyPathTrial(path).meaning()
    known.withLock { $0[key] = meaning }
    return meaning
  }

  /// The names from `Root` inwards; stops if the path ends elsewhere than at a persisted property.
  static func names<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> [String] {
    switch meaning(of: path) {
    case .names(let names): names
    case .computed(let computed): Trap.stop(computed.sentence)
    }
  }

  /// The names joined by dots.
  static func text<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String {
    names(of: path).joined(separator: ".")
  }

  /// Returns the paths to observe for the value of a key path.
  ///
  /// Of a value that is computed, every property of the object and what else was read: which
  /// properties it reads may depend on what they hold.
  static func observedPaths<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> [String] {
    switch meaning(of: path) {
    case .names(let names): return [names.joined(separator: ".")]
    case .computed(let computed):
      if computed.readsOneProperty { return computed.ways }
      let own = ModelClass.of(Root.self).properties.map(\.name)
      return own + computed.ways.filter { !own.contains($0) }
    }
  }
}

/// Finds out what a key path leads to.
private struct KeyPathTrial<Root: ObjectBase> {
  private let path: PartialKeyPath<Root>
  private let structure: KeyPathStructure?
  private let className = ModelClass.name(of: Root.self)

  /// One evaluation.
  private struct Round {
    let recorder: KeyPathRecorder
    let root: Root
    let result: Any
    var readings: [KeyPathRecorder.Reading] { recorder.readings }
  }

  init(_ path: PartialKeyPath<Root>) {
    self.path = path
    structure = KeyPathStructure(path)
  }

  private func round(_ round: Int = 0, absent: Int? = nil) -> Round {
    let recorder = KeyPathRecorder(round: round, absent: absent)
    let root = recorder.object(Root.self)
    return Round(recorder: recorder, root: root, result: root[keyPath: path])
  }

  func meaning() -> KeyPathNames.Meaning {
    let first = round()
    if let objection = objection(to: first) {
      return computed(objection.refusal, isInsideValue: objection.isInsideValue, first)
    }
    let properties = first.readings.map(\.property)
    for number in 0..<PropertyDescriptor.probeRounds {
      let round = round(number)
      guard isSame(round, properties) else { return computed(refusal(first), first, round) }
    }
    for absent in properties.indices where canBeAbsent(absent, properties) {
      let round = round(absent: absent)
      guard isSame(round, Array(properties.prefix(absent + 1))), isNil(round.result) else {
        return computed(refusal(first), first, round)
      }
    }
    return .names(properties.map(\.name))
  }

  /// Tells whether nil is an answer of one of the properties that the path itself goes on from.
  private func canBeAbsent(_ index: Int, _ properties: [PropertyDescriptor]) -> Bool {
    let type = properties[index].type
    guard type.isOptional, type.collection == .none else { return false }
    // The index that leads on from a collection is a part of its own.
    let part = index + properties[..<index].count { $0.type.collection != .none }
    return index == properties.count - 1 || structure?.parts[part].isChained == true
  }

  /// Tells whether a round read these properties, each of what the last led to, and gave the last's answer.
  private func isSame(_ round: Round, _ properties: [PropertyDescriptor]) -> Bool {
    guard round.readings.count == properties.count, let last = round.readings.last else {
      return false
    }
    var owner: ObjectBase? = round.root
    for (reading, property) in zip(round.readings, properties) {
      guard reading.property === property, reading.owner === owner else { return false }
      owner = reading.target
    }
    switch last.answer {
    case .stored(let stored):
      return last.property.isSame(round.result, as: stored)
        || stored.isNull && isNil(round.result)
    case .collection(let handle, _): return round.result as? CollectionBase === handle
    case .linkingObjects: return true
    }
  }

  private func isNil(_ value: Any) -> Bool { unwrapped(value) == nil }

  // MARK: What is wrong

  /// Why the path cannot lead to a persisted property, as far as its parts and types tell.
  private func objection(
    to round: Round
  ) -> (refusal: KeyPathNames.Refusal, isInsideValue: Bool)? {
    let type = Swift.type(of: path).valueType
    guard let last = round.readings.last?.property else {
      let sentence =
        "A key path of class '\(className)' to a '\(type)' reads no @Persisted "
        + "property; only those are stored."
      return (.sentence(sentence), false)
    }
    // The index of an element is a part that reads nothing.
    let indices = round.readings.dropLast().count { $0.target != nil && $0.isOfCollection }
    let parts = structure.map { $0.parts.count - indices } ?? round.readings.count
    if parts < round.readings.count { return (refusal(round), false) }
    if last.valueType == type || optional(of: last.valueType) == type, parts == round.readings.count
    {
      return nil
    }
    if structure != nil, parts == round.readings.count { return (refusal(round), false) }
    let way = round.readings.map(\.property.name).joined(separator: ".")
    let sentence =
      "A key path of class '\(className)' goes into the value of \(last.place), "
      + "which is stored as a whole. Name the persisted property instead, as in \"\(way)"
      + "\(last.type.target == nil ? "" : ".<member>")\"."
    return (.sentence(sentence), true)
  }

  /// Returns a property's type with optional chaining.
  private func optional(of type: Any.Type) -> Any.Type {
    func wrap<T>(_: T.Type) -> Any.Type { T?.self }
    return _openExistential(type, do: wrap)
  }

  private func refusal(_ round: Round) -> KeyPathNames.Refusal {
    let type = Swift.type(of: path).valueType
    let ways = round.recorder.ways.map { "'\($0.map(\.name).joined(separator: "."))'" }
    return .computed(
      before: "A key path of class '\(className)' leads to ", structure?.parts.last,
      after:
        " of type '\(type)', which is computed from \(ways.joined(separator: " and ")) and not "
        + "stored. Only @Persisted properties can be queried, sorted and told apart by, aggregated "
        + "and observed: name those, read the value from the objects in Swift, or store it in a "
        + "property of its own.")
  }

  private func computed(
    _ refusal: KeyPathNames.Refusal, isInsideValue: Bool = false, _ rounds: Round...
  ) -> KeyPathNames.Meaning {
    // A computation with numbers may stop at others than the first.
    let all = rounds + (0..<PropertyDescriptor.harmlessRounds).map { round($0) }
    let ways = all.map { $0.recorder.ways.map { $0.map(\.name).joined(separator: ".") } }
    var found: [String] = []
    for way in ways.joined() where !found.contains(way) { found.append(way) }
    return .computed(
      KeyPathNames.Computed(
        refusal: refusal, ways: found,
        readsOneProperty: found.count == 1 && ways.allSatisfy { $0.count == 1 },
        isInsideValue: isInsideValue))
  }
}
