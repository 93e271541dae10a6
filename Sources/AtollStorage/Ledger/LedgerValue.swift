package import AtollChanges
package import AtollVocabulary

/// A value as the conflict ledger keeps it: by names and keys, so that it outlives the rows, and the
/// log entry, that it came from.
package indirect enum LedgerValue: Hashable, Sendable {
  case scalar(PersistedValue)
  case link(class: String, key: PersistedValue)
  case embedded([LedgerField])
  case list([LedgerValue])
  case set([LedgerValue])
  case map([LedgerEntry])
  /// The amount that an `increment(by:)` would have added.
  case step(Int64)
  /// The position to which a list's element was moved.
  case moved(PositionKey)
  /// No such member or entry, or no object: it was removed.
  case removed
  /// An object was made, with nothing in it.
  case created
  /// More bytes than the ledger keeps of one value.
  case omitted
}

/// A property of an embedded object in the ledger.
package struct LedgerField: Hashable, Sendable {
  package var name: String
  package var value: LedgerValue

  package init(_ name: String, _ value: LedgerValue) {
    self.name = name
    self.value = value
  }
}

/// An entry of a map in the ledger.
package struct LedgerEntry: Hashable, Sendable {
  package var key: String
  package var value: LedgerValue

  package init(_ key: String, _ value: LedgerValue) {
    self.key = key
    self.value = value
  }
}

extension LedgerValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scalar(let value): value.description
    case .link(let name, let key): "\(name) \(key)"
    case .embedded(let fields):
      "{\(fields.map { "\($0.name): \($0.value)" }.joined(separator: ", "))}"
    case .list(let values), .set(let values):
      "[\(values.map(\.description).joined(separator: ", "))]"
    case .map(let entries):
      "{\(entries.map { "\($0.key.debugDescription): \($0.value)" }.joined(separator: ", "))}"
    case .step(let amount): amount < 0 ? "\(amount)" : "+\(amount)"
    case .moved: "moved"
    case .removed: "removed"
    case .created: "created"
    case .omitted: "(too large to be kept)"
    }
  }
}

extension LedgerValue {
  /// From an object in canonical form.
  init(_ content: CanonicalObject.Content) {
    switch content {
    case .scalar(let value): self = .scalar(value)
    case .link(let target, let key, _, _): self = .link(class: target.name, key: key)
    case .embedded(nil): self = .scalar(.null)
    case .embedded(let cells?):
      self = .embedded(cells.map { LedgerField($0.property.name, LedgerValue($0.content)) })
    case .list(let elements): self = .list(elements.map { LedgerValue($0.value.content) })
    case .set(let members):
      self = .set(members.filter(\.isHeld).map { LedgerValue($0.content) })
    case .map(let entries):
      self = .map(
        entries.compactMap { entry in
          entry.value.map { LedgerEntry(entry.key, LedgerValue($0.content)) }
        })
    }
  }
}
