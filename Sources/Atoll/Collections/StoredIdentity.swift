import AtollStorage
import AtollVocabulary

/// The identity of a set's member: the persisted value, or the object (rule 36).
struct StoredIdentity: Hashable {
  private enum Content: Hashable {
    case scalar(PersistedValue)
    case row(ObjectIdentifier, RowID)
    case instance(ObjectIdentifier)
  }

  private let content: Content

  private init(_ content: Content) { self.content = content }

  /// Every identity under which a value may be in a set; the first is the one to enter it with.
  ///
  /// An object that was managed after it came into a set is still there as the instance it was.
  static func all(of stored: _Stored) -> [StoredIdentity] {
    switch stored.content {
    case .scalar(.decimal(let value)): return [StoredIdentity(.scalar(.decimal(value.reduced)))]
    case .scalar(let value): return [StoredIdentity(.scalar(value))]
    case .object(let object):
      let instance = StoredIdentity(.instance(ObjectIdentifier(object)))
      guard let row = object.managedRow, object.layout === row.table.layout else {
        return [instance]
      }
      return [StoredIdentity(.row(ObjectIdentifier(row.table), row.id)), instance]
    case .list, .map: return []
    }
  }
}

/// The members of a set that no store manages, in the order in which they came as long as none left.
struct StoredSet {
  private(set) var members: [_Stored] = []
  /// `places[identities[i]] == i`, and `identities[i]` is one of `members[i]`.
  private var identities: [StoredIdentity] = []
  private var places: [StoredIdentity: Int] = [:]

  func index(of stored: _Stored) -> Int? {
    for identity in StoredIdentity.all(of: stored) {
      if let place = places[identity] { return place }
    }
    return nil
  }

  /// Takes a member in; false if it is there.
  mutating func insert(_ stored: _Stored) -> Bool {
    guard let identity = StoredIdentity.all(of: stored).first else {
      Trap.stop("Inserting '\(stored)' into a set: a set cannot hold lists and maps.")
    }
    if index(of: stored) != nil { return false }
    places[identity] = members.count
    members.append(stored)
    identities.append(identity)
    return true
  }

  /// Takes a member out, and puts the last one in its place; false if it is not there.
  mutating func remove(_ stored: _Stored) -> Bool {
    guard let index = index(of: stored) else { return false }
    places[identities[index]] = nil
    let last = (members.removeLast(), identities.removeLast())
    if index < members.count {
      (members[index], identities[index]) = last
      places[last.1] = index
    }
    return true
  }
}
