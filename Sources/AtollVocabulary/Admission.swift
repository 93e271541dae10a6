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

  /// Tells if the objects of a class are admissions.
  package static func isClass(_ name: String, isEmbedded: Bool, keyType: PersistedType) -> Bool {
    !isEmbedded && keyType == .string && allCases.contains { $0.className == name }
  }
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
