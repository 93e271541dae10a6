package import AtollVocabulary

/// The value of an application for `%@`, in terms of the file.
package indirect enum PredicateArgument: Hashable, Sendable {
  case value(PersistedValue)
  case object(RowID, of: ClassID)
  /// The object of a class that has a key, now or later.
  case keyed(ClassID, PersistedValue)
  /// The embedded object in the row of a class, at the end of a path of embedded objects.
  case embedded(RowID, of: ClassID, at: [StoredProperty])
  /// An object that the file does not have: nothing equals it.
  case stranger
  /// A mapped value that is stored as an embedded object: it is compared member by member.
  case members(PredicateMembers)
  /// An area of the Earth's surface.
  case shape(GeoShape)
  case list([PredicateArgument])
  /// Something that cannot be stored; what it is, for the message.
  case unfit(String)
}

/// The members of a mapped value that is stored as an embedded object.
package struct PredicateMembers: Hashable, Sendable {
  package enum Member: Hashable, Sendable {
    case value(PersistedValue)
    case members(PredicateMembers)
    case collection
    case link
  }

  package var className: String
  /// By name, in the order of the class.
  package var members: [(name: String, value: Member)]

  package init(className: String, members: [(name: String, value: Member)]) {
    self.className = className
    self.members = members
  }

  package static func == (a: PredicateMembers, b: PredicateMembers) -> Bool {
    a.className == b.className && a.members.elementsEqual(b.members) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(className)
    for member in members { hasher.combine(member.value) }
  }
}

/// Why a mapped value cannot be compared member by member (rule 54).
package struct MemberwiseError: Error, CustomStringConvertible {
  package let description: String
}

extension PredicateMembers {
  /// Rule 50: what holds where the embedded object at `path` has all these members.
  ///
  /// A slot with nothing in it does not match, even if every member is nil.
  package func condition(
    at path: PropertyPath, of owner: StoredClass, among classes: [ClassID: StoredClass]
  ) throws(MemberwiseError) -> Predicate {
    var parts: [Predicate] = []
    for (name, value) in members {
      guard let property = owner.property(named: name) else { continue }
      let place = path.appending(.property(property))
      switch value {
      case .collection: throw refused(name, "equality on collections is not implemented.")
      case .link: throw refused(name, "object links are not implemented.")
      case .value(let value): parts.append(.comparison(place, .equal, .value(value)))
      case .members(let inner):
        guard let target = property.target.flatMap({ classes[$0] }) else { continue }
        parts.append(try inner.condition(at: place, of: target, among: classes))
      }
    }
    let isProved = parts.contains { part in
      if case .comparison(_, _, .value(let value)) = part { !value.isNull } else { false }
    }
    if !isProved { parts.insert(.comparison(path, .notEqual, .value(.null)), at: 0) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private func refused(_ name: String, _ reason: String) -> MemberwiseError {
    MemberwiseError(
      description:
        "Unsupported property '\(className).\(name)' for memberwise equality query: \(reason)")
  }
}
