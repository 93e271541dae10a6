package import AtollVocabulary

/// The meaning of one author's numbers: the classes, properties and authors that it has declared so
/// far.
///
/// A replica keeps one for each author it hears of, and one for itself. A number is the place of its
/// declaration among those of its kind. The table also checks what it gives meaning to: what
/// ``admit(_:)`` lets through, storage need not doubt.
package struct DeclarationTable: Sendable {
  package private(set) var classes: [ClassDeclaration] = []
  package private(set) var properties: [PropertyDeclaration] = []
  /// The author itself, then those it refers to.
  package private(set) var authors: [Author]

  /// The class of replicas, once it is declared; what may be done to its objects is bounded.
  private(set) var replicaClass: ClassNumber?
  /// The classes that are declared of which only owners make objects.
  private(set) var ownersClasses: [ClassNumber: OwnersClass] = [:]

  private var numbers: [Name: UInt32] = [:]
  private var columns = ClassColumns()

  /// The table of an author that has declared nothing yet.
  package init(author: Author) {
    authors = [author.commonHistory]
    numbers[.author(author.commonHistory)] = 0
  }

  /// The author whose numbers these are.
  package var author: Author { authors[0] }

  package subscript(number: ClassNumber) -> ClassDeclaration? {
    number.rawValue < classes.count ? classes[Int(number.rawValue)] : nil
  }

  package subscript(number: PropertyNumber) -> PropertyDeclaration? {
    number.rawValue < properties.count ? properties[Int(number.rawValue)] : nil
  }

  package subscript(number: AuthorNumber) -> Author? {
    number.rawValue < authors.count ? authors[Int(number.rawValue)] : nil
  }

  /// The number of a class, if it is declared.
  package func number(of declaration: ClassDeclaration) -> ClassNumber? {
    numbers[Name(declaration)].map(ClassNumber.init)
  }

  /// The number of a property, if it is declared.
  package func number(of declaration: PropertyDeclaration) -> PropertyNumber? {
    numbers[Name(declaration)].map(PropertyNumber.init)
  }

  /// The number of an author, if it is declared; 0 for the table's own.
  package func number(of author: Author) -> AuthorNumber? {
    numbers[.author(author)].map(AuthorNumber.init)
  }

  /// Gives each declaration its number, in order.
  ///
  /// - Throws: ``ChangesetError`` at the first that is not valid; the table is then as before.
  package mutating func adopt(_ declarations: [Declaration]) throws(ChangesetError) {
    guard declarations.count > 1 else {
      // One that is refused changes nothing, so that no copy is needed.
      if let only = declarations.first { try adopt(only, at: .declaration(0)) }
      return
    }
    var grown = self
    for (index, declaration) in declarations.enumerated() {
      try grown.adopt(declaration, at: .declaration(index))
    }
    self = grown
  }

  private mutating func adopt(
    _ declaration: Declaration, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    switch declaration {
    case .class(let value):
      try check(value, at: place)
      try enter(
        Name(value), as: classes.count, limit: Limits.declaredClasses, "the class \(value.name)",
        at: place)
      // Another class may have the same name, and a key of another type.
      let number = ClassNumber(UInt32(truncatingIfNeeded: classes.count))
      if ReplicaClass.isDeclared(by: value) { replicaClass = number }
      ownersClasses[number] = OwnersClass(
        name: value.name, isEmbedded: value.isEmbedded, keyType: value.keyType)
      classes.append(value)
      columns.addClass()
    case .property(let value):
      try check(value, at: place)
      try checkIsNew(Name(value), "the property \(value.name)", at: place)
      try count(value, at: place)
      try enter(
        Name(value), as: properties.count, limit: Limits.declaredProperties,
        "the property \(value.name)", at: place)
      properties.append(value)
    case .author(let value):
      try enter(
        .author(value), as: authors.count, limit: Limits.declarations, "the author \(value)",
        at: place)
      authors.append(value)
    }
  }

  /// The table of a class that is embedded or has objects may not be wider than SQLite allows.
  private mutating func count(
    _ property: PropertyDeclaration, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    guard properties.count < Limits.declaredProperties,
      let (number, count) = columns.add(property)
    else { return }
    throw ChangesetError(
      .overLimit, at: place, "the columns of the class \(classes[number].name)",
      found: "\(count) with the property \(property.name)",
      expected: "at most \(Limits.classColumns); use a list or a map for what is many")
  }

  private func checkIsNew(
    _ name: Name, _ subject: @autoclosure () -> String, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    guard let known = numbers[name] else { return }
    throw ChangesetError(
      .redeclared, at: place, subject(), found: "declared again", expected: "its number, \(known)")
  }

  private mutating func enter(
    _ name: Name, as number: Int, limit: Int, _ subject: @autoclosure () -> String,
    at place: ChangesetError.Place
  ) throws(ChangesetError) {
    try checkIsNew(name, subject(), at: place)
    guard number < limit else {
      throw ChangesetError(
        .overLimit, at: place, subject(), found: "declaration \(number + 1) of its kind",
        expected: "at most \(limit)")
    }
    numbers[name] = UInt32(truncatingIfNeeded: number)
  }

  private func check(
    _ declaration: ClassDeclaration, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    try check(name: declaration.name, of: "the name of a class", at: place)
    guard declaration.keyType.isKey else {
      throw ChangesetError(
        .mismatched, at: place, "the key type of the class \(declaration.name)",
        found: "\(declaration.keyType)", expected: "a type that keys can have")
    }
    guard !declaration.isEmbedded || declaration.keyType == .identity else {
      throw ChangesetError(
        .mismatched, at: place, "the key type of the embedded class \(declaration.name)",
        found: "\(declaration.keyType)", expected: "identity; embedded objects have no key")
    }
    guard let keyName = declaration.keyName else { return }
    try check(name: keyName, of: "the name of the key of \(declaration.name)", at: place)
    guard declaration.keyType != .identity else {
      throw ChangesetError(
        .mismatched, at: place, "the key of the class \(declaration.name)",
        found: "the name \(keyName) for a hidden key", expected: "no name")
    }
  }

  private func check(
    _ declaration: PropertyDeclaration, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    let name = declaration.name
    try check(name: name, of: "the name of a property", at: place)
    _ = try declared(declaration.owner, "the owner of the property \(name)", at: place)
    guard declaration.type != .identity else {
      throw ChangesetError(
        .mismatched, at: place, "the type of the property \(name)", found: "identity",
        expected: "a type that properties can have")
    }
    guard declaration.type != .embedded || declaration.collection != .set else {
      throw ChangesetError(
        .mismatched, at: place, "the type of the property \(name)",
        found: "a set of embedded objects",
        expected: "scalars or links in a set; an embedded object is no value")
    }
    guard declaration.type.hasTarget else {
      guard declaration.target == nil else {
        throw ChangesetError(
          .mismatched, at: place, "the property \(name) of type \(declaration.type)",
          found: "with a target", expected: "none")
      }
      return
    }
    guard let number = declaration.target else {
      throw ChangesetError(
        .mismatched, at: place, "the property \(name) of type \(declaration.type)",
        found: "without a target", expected: "a class")
    }
    let target = try declared(number, "the target of the property \(name)", at: place)
    guard target.isEmbedded == (declaration.type == .embedded) else {
      throw ChangesetError(
        .mismatched, at: place, "the target of the property \(name) of type \(declaration.type)",
        found: "the \(target.isEmbedded ? "embedded" : "top-level") class \(target.name)",
        expected: target.isEmbedded ? "a top-level class" : "an embedded class")
    }
  }

  private func check(
    name: String, of subject: String, at place: ChangesetError.Place
  ) throws(ChangesetError) {
    let count = name.utf8.count
    guard count > 0, count <= Limits.nameBytes else {
      throw ChangesetError(
        count == 0 ? .outOfRange : .overLimit, at: place, subject, found: "\(count) bytes",
        expected: "1 to \(Limits.nameBytes)")
    }
  }

  /// The identity of a declaration; names count by their bytes, without normalisation.
  private enum Name: Hashable {
    case `class`([UInt8], isEmbedded: Bool, keyType: PersistedType)
    case property(ClassNumber, [UInt8], PersistedType, CollectionKind, target: ClassNumber?)
    case author(Author)

    init(_ value: ClassDeclaration) {
      self = .class(Array(value.name.utf8), isEmbedded: value.isEmbedded, keyType: value.keyType)
    }

    init(_ value: PropertyDeclaration) {
      self = .property(
        value.owner, Array(value.name.utf8), value.type, value.collection, target: value.target)
    }
  }
}
