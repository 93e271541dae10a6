package import AtollVocabulary

/// The number of a class among those its author declared, from 0 in the order of declaration.
package struct ClassNumber: Hashable, Sendable {
  package var rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of a property among those its author declared, of all classes together, from 0.
package struct PropertyNumber: Hashable, Sendable, Comparable {
  package var rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  package static func < (a: PropertyNumber, b: PropertyNumber) -> Bool { a.rawValue < b.rawValue }
}

/// The number of an author as another author refers to it: 0 is the writer itself, foreign authors
/// follow from 1 in the order of declaration.
package struct AuthorNumber: Hashable, Sendable, Comparable {
  package var rawValue: UInt32
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  package static let ownself = AuthorNumber(0)

  package static func < (a: AuthorNumber, b: AuthorNumber) -> Bool { a.rawValue < b.rawValue }
}

/// A class, property or author that a changeset uses for the first time in its author's history.
///
/// Its number is implied: the next free one of its kind.
package enum Declaration: Hashable, Sendable {
  case `class`(ClassDeclaration)
  case property(PropertyDeclaration)
  case author(Author)
}

/// A class as part of cells' identity: one of the same name and another key type is another class.
package struct ClassDeclaration: Hashable, Sendable {
  package var name: String
  package var isEmbedded: Bool
  /// ``PersistedType/identity`` for a class without a declared key, and for embedded ones.
  package var keyType: PersistedType
  /// The author's name of the key; no part of the class's identity, and nil where it has no name.
  package var keyName: String?

  package init(
    name: String, isEmbedded: Bool, keyType: PersistedType, keyName: String? = nil
  ) {
    self.name = name
    self.isEmbedded = isEmbedded
    self.keyType = keyType
    self.keyName = keyName
  }
}

/// A property as part of cells' identity: type and collection kind belong to it, optionality does
/// not.
package struct PropertyDeclaration: Hashable, Sendable {
  package var owner: ClassNumber
  package var name: String
  package var type: PersistedType
  package var collection: CollectionKind
  /// The class linked to or embedded; nil for scalars.
  package var target: ClassNumber?

  package init(
    owner: ClassNumber, name: String, type: PersistedType, collection: CollectionKind,
    target: ClassNumber? = nil
  ) {
    self.owner = owner
    self.name = name
    self.type = type
    self.collection = collection
    self.target = target
  }
}
