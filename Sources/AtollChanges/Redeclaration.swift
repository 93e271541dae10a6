import AtollVocabulary

/// What an author's numbers are to another author, who declares what it has not declared yet.
package struct Redeclaration {
  /// Everything that the one has declared.
  private let former: DeclarationTable
  /// What the other has.
  package private(set) var table: DeclarationTable
  /// What of that is new.
  package private(set) var fresh: [Declaration] = []

  package init(of former: DeclarationTable, into table: DeclarationTable) {
    self.former = former
    self.table = table
  }

  /// Gives what is new, once.
  package mutating func takeFresh() -> [Declaration] {
    defer { fresh = [] }
    return fresh
  }

  package mutating func `class`(_ old: ClassNumber) throws(ChangesetError) -> ClassNumber {
    guard let declaration = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.classes.count, "a class", at: .operation(0))
    }
    if let known = table.number(of: declaration) { return known }
    return ClassNumber(try declare(.class(declaration), after: table.classes.count))
  }

  private mutating func declare(
    _ declaration: Declaration, after count: Int
  ) throws(ChangesetError) -> UInt32 {
    try table.adopt([declaration])
    fresh.append(declaration)
    return UInt32(truncatingIfNeeded: count)
  }
}

extension Redeclaration: OperationTransform {
  package mutating func object(_ old: ObjectReference) throws(ChangesetError) -> ObjectReference {
    ObjectReference(class: try `class`(old.class), key: old.key, life: old.life)
  }

  package mutating func property(_ old: PropertyNumber) throws(ChangesetError) -> PropertyNumber {
    guard let declaration = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.properties.count, "a property", at: .operation(0))
    }
    var new = declaration
    new.owner = try `class`(declaration.owner)
    if let target = declaration.target { new.target = try `class`(target) }
    if let known = table.number(of: new) { return known }
    return PropertyNumber(try declare(.property(new), after: table.properties.count))
  }

  package mutating func author(_ old: AuthorNumber) throws(ChangesetError) -> AuthorNumber {
    guard let author = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.authors.count, "an author", at: .operation(0))
    }
    if let known = table.number(of: author) { return known }
    return AuthorNumber(try declare(.author(author), after: table.authors.count))
  }
}
