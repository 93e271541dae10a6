/// As what a replica is admitted to a store.
package enum Admission: String, Hashable, Sendable, CaseIterable {
  /// Its changesets are taken.
  case writer
  /// It admits others, too.
  case owner

  /// The reserved class whose objects admit as this.
  package var className: String {
    switch self {
    case .writer: "atoll.Writer"
    case .owner: "atoll.Owner"
    }
  }
}

/// The reserved classes by which it is said who may write to a store that has owners.
///
/// Each object is about the replica that is its key.
package enum OwnersClass: Hashable, Sendable {
  /// The replica may write, or admit others, too.
  case admission(Admission)
  /// Nothing counts of the replica that its remover had not applied.
  case removal
  /// Owners are asked to admit the replica.
  case request

  /// True if only owners make its objects.
  package var isOwners: Bool { self != .request }

  /// Nil for every other class.
  package init?(name: String, isEmbedded: Bool, keyType: PersistedType) {
    guard !isEmbedded, keyType == .string,
      let known = Self.all.first(where: { $0.name == name })
    else { return nil }
    self = known
  }

  package var name: String {
    switch self {
    case .admission(let admission): admission.className
    case .removal: "atoll.Removed"
    case .request: "atoll.Request"
    }
  }

  /// All of them, in the order in which they are declared.
  package static let all: [OwnersClass] =
    Admission.allCases.map(Self.admission) + [.removal, .request]
}

extension StoreID {
  /// The id of a store without owners: a UUID of version 4, from random numbers.
  package init(unowned random: () -> UInt64) {
    self.init(
      high: random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// True if owners say who may write: the id is a UUID of version 8 (RFC 9562, 5.8).
  package var isOwned: Bool { high >> 12 & 0xF == 8 && low >> 62 == 2 }
}
