import AtollChanges
import AtollVocabulary
import Testing

@Suite struct DeclarationTableTests {
  private func table() throws -> DeclarationTable {
    var table = DeclarationTable(author: Samples.author)
    try table.adopt(Samples.declarations)
    return table
  }

  /// Returns the objection of a table to one operation that stands alone in a changeset.
  private func refusal(_ operation: DataOperation) throws -> ChangesetError.Kind? {
    var table = try table()
    do throws(ChangesetError) {
      try table.admit(Samples.changeset([operation]))
      return nil
    } catch {
      #expect(error.place == .operation(0))
      return error.kind
    }
  }

  private func refusal(_ declarations: Declaration...) throws -> ChangesetError.Kind? {
    var table = try table()
    let count = table.classes.count
    do throws(ChangesetError) {
      try table.adopt(declarations)
      return nil
    } catch {
      #expect(table.classes.count == count)
      return error.kind
    }
  }

  // MARK: Declarations

  @Test func `numbers are given in order, the author itself is number 0`() throws {
    let table = try table()
    #expect(table[AuthorNumber(0)] == Samples.author)
    #expect(table[AuthorNumber(1)] == Samples.author(2))
    #expect(table[AuthorNumber(2)] == nil)
    #expect(table.number(of: Samples.author(2)) == AuthorNumber(1))
    #expect(table[ClassNumber(1)]?.name == "Location")
    #expect(table[ClassNumber(3)] == nil)
    #expect(table[Samples.runways]?.name == "runways")
    #expect(table[PropertyNumber(99)] == nil)
    #expect(
      try table.number(of: #require(table[Samples.runways])) == Samples.runways)
  }

  @Test func `a changeset about everything is admitted with its declarations`() throws {
    var table = DeclarationTable(author: Samples.author)
    try table.admit(Samples.everything)
    #expect(table.properties.count == 22)
  }

  @Test func `nothing is adopted from a changeset that is not admitted`() throws {
    var table = DeclarationTable(author: Samples.author)
    var changeset = Samples.everything
    changeset.operations.append(.data(.delete(Samples.airport("LSZH", generation: 3))))
    #expect(throws: ChangesetError.self) { try table.admit(changeset) }
    #expect(table.classes.isEmpty && table.properties.isEmpty && table.authors.count == 1)
  }

  @Test func `a second declaration is refused`() throws {
    for declaration in Samples.declarations {
      #expect(try refusal(declaration) == .redeclared)
    }
    #expect(try refusal(.author(Samples.author)) == .redeclared)
  }

  @Test func `another key type, type, collection or target is another declaration`() throws {
    #expect(
      try refusal(
        .class(ClassDeclaration(name: "Airport", isEmbedded: false, keyType: .int)),
        Samples.property(0, "name", .int), Samples.property(0, "name", .string, .list),
        Samples.property(1, "name", .string), Samples.property(0, "note", .link, target: 0)) == nil)
  }

  @Test func `names that differ only by Unicode normalisation are two names`() throws {
    #expect(
      try refusal(
        Samples.property(0, "caf\u{E9}", .int), Samples.property(0, "cafe\u{301}", .int)) == nil)
  }

  @Test func `a property of an undeclared class is refused`() throws {
    #expect(try refusal(Samples.property(3, "x", .int)) == .undeclared)
  }

  @Test func `a property with an undeclared target is refused`() throws {
    #expect(try refusal(Samples.property(0, "x", .link, target: 3)) == .undeclared)
  }

  @Test func `a link without a target, or a scalar with one, is refused`() throws {
    #expect(try refusal(Samples.property(0, "x", .link)) == .mismatched)
    #expect(try refusal(Samples.property(0, "x", .int, target: 0)) == .mismatched)
  }

  @Test func `a link to an embedded class, or an embedded top-level class, is refused`() throws {
    #expect(try refusal(Samples.property(0, "x", .link, target: 1)) == .mismatched)
    #expect(try refusal(Samples.property(0, "x", .embedded, target: 0)) == .mismatched)
  }

  @Test func `a property of type identity is refused`() throws {
    #expect(try refusal(Samples.property(0, "x", .identity)) == .mismatched)
  }

  @Test func `a class whose key is a link is refused`() throws {
    let declaration = ClassDeclaration(name: "X", isEmbedded: false, keyType: .link)
    #expect(try refusal(.class(declaration)) == .mismatched)
  }

  @Test func `an embedded class with a key is refused`() throws {
    let declaration = ClassDeclaration(name: "X", isEmbedded: true, keyType: .int)
    #expect(try refusal(.class(declaration)) == .mismatched)
  }

  @Test func `an empty name and a name of 256 bytes are refused`() throws {
    #expect(try refusal(Samples.property(0, "", .int)) == .outOfRange)
    let long = String(repeating: "x", count: Limits.nameBytes + 1)
    #expect(try refusal(Samples.property(0, long, .int)) == .overLimit)
  }

  @Test func `the 65,537th author is refused`() throws {
    var table = DeclarationTable(author: Samples.author(0))
    try table.adopt((1..<UInt64(Limits.declarations)).map { .author(Samples.author($0)) })
    let error = #expect(throws: ChangesetError.self) {
      try table.adopt([.author(Samples.author(UInt64(Limits.declarations)))])
    }
    #expect(error?.kind == .overLimit)
  }

  // MARK: Dependencies

  @Test func `a dependency on the author itself, or on an undeclared one, is refused`() throws {
    for (number, kind) in [(UInt32(0), ChangesetError.Kind.mismatched), (2, .undeclared)] {
      var table = try table()
      let dependency = Dependency(
        author: AuthorNumber(number), sequence: .first, hash: .origin(of: Samples.author))
      let error = #expect(throws: ChangesetError.self) {
        try table.admit(
          Samples.changeset(
            [.delete(Samples.airport("A", generation: 2))], dependencies: [dependency]))
      }
      #expect(error?.kind == kind)
      #expect(error?.place == .dependency(0))
    }
  }

  // MARK: Objects

  @Test func `an object of an undeclared or an embedded class is refused`() throws {
    var object = Samples.airport("A")
    object.class = ClassNumber(3)
    #expect(try refusal(.create(object, [])) == .undeclared)
    object.class = ClassNumber(1)
    #expect(try refusal(.create(object, [])) == .mismatched)
  }

  @Test func `a key of another type is refused, a nil key is a key`() throws {
    var object = Samples.airport("A")
    object.key = .int(7)
    #expect(try refusal(.create(object, [])) == .mismatched)
    object.key = .null
    #expect(try refusal(.create(object, [])) == nil)
  }

  @Test func `a hidden key is never nil`() throws {
    var object = Samples.foreignNote
    object.key = .null
    #expect(try refusal(.create(object, [])) == .mismatched)
  }

  @Test func `an object without a declared key is made under its own name, once`() throws {
    var object = Samples.ownNote(0)
    #expect(try refusal(.create(object, [])) == nil)
    object.generation = Generation(3)
    #expect(try refusal(.create(object, [])) == .outOfRange)
    #expect(try refusal(.create(Samples.ownNote(1), [])) == .mismatched)
    #expect(try refusal(.create(Samples.foreignNote, [])) == .mismatched)
  }

  @Test func `generations are odd, and even from 2 where they end`() throws {
    for generation in [UInt32(0), 2] {
      #expect(try refusal(.create(Samples.airport("A", generation: generation), [])) == .outOfRange)
    }
    for generation in [UInt32(0), 1, 3] {
      #expect(try refusal(.delete(Samples.airport("A", generation: generation))) == .outOfRange)
    }
    var path = Samples.path(Samples.name)
    path.object.generation = Generation(2)
    #expect(try refusal(.assign(path, .scalar(.null))) == .outOfRange)
  }

  // MARK: Paths

  @Test func `a property that is undeclared or of another class is refused`() throws {
    #expect(
      try refusal(.assign(Samples.path(PropertyNumber(22)), .scalar(.null))) == .undeclared)
    #expect(try refusal(.assign(Samples.path(Samples.latitude), .scalar(.null))) == .mismatched)
  }

  @Test func `a list is not assigned, and one value is not inserted into`() throws {
    let list = Samples.path(Samples.runways)
    let value = Samples.path(Samples.name)
    let element = Samples.element(0, 1, 0)
    #expect(try refusal(.assign(list, .scalar(.null))) == .mismatched)
    #expect(try refusal(.insert(value, at: Samples.firstKey, .scalar(.null))) == .mismatched)
    #expect(try refusal(.assignElement(value, element, .scalar(.null))) == .mismatched)
    #expect(try refusal(.move(value, element, to: Samples.firstKey)) == .mismatched)
    #expect(try refusal(.remove(value, element)) == .mismatched)
    #expect(try refusal(.clear(value, [])) == .mismatched)
    let field = Samples.field(Samples.runways, .scalar(.null), true)
    #expect(try refusal(.create(Samples.airport("A"), [field])) == .mismatched)
  }

  @Test func `a step into a scalar, or through the wrong kind of property, is refused`() throws {
    let instance = Samples.stamp(9, 0)
    let element = Samples.element(0, 1, 0)
    for step in [
      PathStep.slot(Samples.name, instance: instance),
      .slot(Samples.places, instance: instance),
      .element(Samples.place, element, instance: instance),
      .element(Samples.runways, element, instance: instance),
    ] {
      let path = Samples.path(Samples.latitude, [step])
      #expect(try refusal(.assign(path, .scalar(.null))) == .mismatched)
    }
  }

  @Test func `an edit of an object embedded in an embedded one is admitted`() throws {
    let steps = [Samples.place, Samples.inner].map {
      PathStep.slot($0, instance: Samples.stamp(9, 0))
    }
    let path = Samples.path(Samples.latitude, steps)
    #expect(try refusal(.assign(path, .scalar(.double(1)))) == nil)
  }

  // MARK: Values

  @Test func `a value of another type than the property's is refused, nil never`() throws {
    let path = Samples.path(Samples.name)
    #expect(try refusal(.assign(path, .scalar(.null))) == nil)
    for value in [
      FieldValue.scalar(.int(1)), .scalar(.data([])), .link(Samples.foreignNote), .embedded([]),
    ] { #expect(try refusal(.assign(path, value)) == .mismatched) }
  }

  @Test func `a link to another class, or to a dead object, is refused`() throws {
    let path = Samples.path(Samples.note)
    #expect(try refusal(.assign(path, .link(Samples.airport("A")))) == .mismatched)
    var dead = Samples.foreignNote
    dead.generation = Generation(2)
    #expect(try refusal(.assign(path, .link(dead))) == .outOfRange)
  }

  @Test func `fields of an embedded object are its class's, one value each`() throws {
    let path = Samples.path(Samples.place)
    for number in [Samples.name, Samples.tags] {
      let field = EmbeddedField(property: number, value: .scalar(.null))
      #expect(try refusal(.assign(path, .embedded([field]))) == .mismatched)
    }
  }

  @Test func `only integers take steps`() throws {
    #expect(
      try refusal(.increment(Samples.path(Samples.name), by: 1, on: .default)) == .mismatched)
  }

  @Test func `stamps of undeclared authors and of the future are refused`() throws {
    let path = Samples.path(Samples.elevation)
    for (stamp, kind) in [
      (Samples.stamp(9, by: 2, 0), ChangesetError.Kind.undeclared),
      (Samples.stamp(0, by: 1, 0), .outOfRange), (Samples.stamp(0, 0), .outOfRange),
      (Samples.stamp(UInt64.max, 0), .outOfRange),
    ] {
      #expect(try refusal(.increment(path, by: 1, on: .assignment(stamp))) == kind)
    }
  }

  @Test func `elements of undeclared authors and of the future are refused`() throws {
    let path = Samples.path(Samples.runways)
    for (element, kind) in [
      (Samples.element(2, 1, 0), ChangesetError.Kind.undeclared),
      (Samples.element(1, 0, 0), .outOfRange), (Samples.element(0, 8, 0), .outOfRange),
      (Samples.element(0, 7, 0), .outOfRange),
    ] {
      #expect(try refusal(.remove(path, element)) == kind)
      #expect(try refusal(.clear(path, [element])) == kind)
    }
  }

  @Test func `an error says where, what, what was found and what was expected`() throws {
    var table = try table()
    let error = #expect(throws: ChangesetError.self) {
      try table.admit(Samples.changeset([.assign(Samples.path(Samples.name), .scalar(.int(1)))]))
    }
    #expect(
      error?.description
        == "changeset refused at operation 0: a value of name: found Int, expected String")
  }
}
