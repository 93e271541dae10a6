import AtollChanges
import AtollVocabulary
import Testing

/// The admission of sets, maps, any-typed slots and decimals by a table.
@Suite struct CollectionAdmissionTests {
  /// Returns the objection of a table to one operation that stands alone in a changeset.
  private func refusal(_ operation: DataOperation) throws -> ChangesetError.Kind? {
    var table = DeclarationTable(author: Samples.author)
    try table.adopt(Samples.declarations)
    do throws(ChangesetError) {
      try table.admit(Samples.changeset([operation]))
      return nil
    } catch {
      #expect(error.place == .operation(0))
      return error.kind
    }
  }

  private func refusal(declaring declaration: Declaration) throws -> ChangesetError.Kind? {
    var table = DeclarationTable(author: Samples.author)
    try table.adopt(Samples.declarations)
    do throws(ChangesetError) {
      try table.adopt([declaration])
      return nil
    } catch {
      return error.kind
    }
  }

  private let past = Samples.stamp(9, 0)
  private let element = Samples.element(1, 3, 2)

  // MARK: Declarations

  @Test func `a set of embedded objects is refused, a map of them is not`() throws {
    #expect(
      try refusal(declaring: Samples.property(0, "x", .embedded, .set, target: 1)) == .mismatched)
    #expect(try refusal(declaring: Samples.property(0, "x", .embedded, .map, target: 1)) == nil)
  }

  @Test func `a property of any type has no target`() throws {
    #expect(try refusal(declaring: Samples.property(0, "x", .any, target: 0)) == .mismatched)
    #expect(try refusal(declaring: Samples.property(0, "x", .any)) == nil)
  }

  @Test(arguments: [PersistedType.decimal, .any, .link, .embedded])
  func `a class whose key is of this type is refused`(type: PersistedType) throws {
    let declaration = ClassDeclaration(name: "X", isEmbedded: false, keyType: type)
    #expect(try refusal(declaring: .class(declaration)) == .mismatched)
  }

  // MARK: Sets and maps

  @Test func `operations on sets and maps are refused on anything else`() throws {
    for property in [Samples.name, Samples.runways, Samples.scores, Samples.any] {
      let path = Samples.path(property)
      #expect(try refusal(.insertMember(path, .scalar(.null))) == .mismatched)
      #expect(try refusal(.removeMember(path, .scalar(.null))) == .mismatched)
    }
    for property in [Samples.name, Samples.runways, Samples.labels, Samples.any] {
      let path = Samples.path(property)
      #expect(try refusal(.assignEntry(path, key: "k", .scalar(.null))) == .mismatched)
      #expect(try refusal(.removeEntry(path, key: "k")) == .mismatched)
    }
  }

  @Test func `sets and maps take no operation of lists or of single values`() throws {
    for property in [Samples.labels, Samples.scores] {
      let path = Samples.path(property)
      #expect(try refusal(.assign(path, .scalar(.null))) == .mismatched)
      #expect(try refusal(.insert(path, at: Samples.firstKey, .scalar(.null))) == .mismatched)
      #expect(try refusal(.remove(path, element)) == .mismatched)
      #expect(try refusal(.clear(path, [])) == .mismatched)
    }
  }

  @Test func `a member or an entry of another type than the property's is refused`() throws {
    #expect(
      try refusal(.insertMember(Samples.path(Samples.labels), .scalar(.int(1)))) == .mismatched)
    #expect(
      try refusal(.insertMember(Samples.path(Samples.friends), .link(Samples.airport("A"))))
        == .mismatched)
    #expect(
      try refusal(.assignEntry(Samples.path(Samples.scores), key: "k", .scalar(.double(1))))
        == .mismatched)
    #expect(
      try refusal(.assignEntry(Samples.path(Samples.spots), key: "k", .link(Samples.foreignNote)))
        == .mismatched)
  }

  @Test func `a step through an entry leads into a map of embedded objects only`() throws {
    func path(_ property: PropertyNumber) -> CellPath {
      Samples.path(
        Samples.latitude, in: "A", [.entry(property, key: "k", instance: past)])
    }
    #expect(try refusal(.assign(path(Samples.spots), .scalar(.null))) == nil)
    for property in [Samples.scores, Samples.anyMap, Samples.places, Samples.place] {
      #expect(try refusal(.assign(path(property), .scalar(.null))) == .mismatched)
    }
  }

  // MARK: Any type

  @Test func `a slot of any type takes scalars, links to every class, lists and maps`() throws {
    let path = Samples.path(Samples.any)
    for value: FieldValue in [
      .scalar(.null), .scalar(.bool(true)), .scalar(.string("")), .scalar(Samples.decimal(1, 0)),
      .link(Samples.airport("A")), .link(Samples.foreignNote), .collection(.list),
      .collection(.map),
    ] { #expect(try refusal(.assign(path, value)) == nil, "\(value)") }
  }

  @Test func `a slot of any type takes no embedded object, set, dead or embedded target`() throws {
    let path = Samples.path(Samples.any)
    for value: FieldValue in [.embedded([]), .collection(.set), .collection(.none)] {
      #expect(try refusal(.assign(path, value)) == .mismatched, "\(value)")
    }
    #expect(try refusal(.assign(path, .link(Samples.airport("A", generation: 2)))) == .outOfRange)
    var embedded = Samples.airport("A")
    embedded.class = ClassNumber(1)
    #expect(try refusal(.assign(path, .link(embedded))) == .mismatched)
    embedded.class = ClassNumber(3)
    #expect(try refusal(.assign(path, .link(embedded))) == .undeclared)
  }

  @Test func `collections are put into slots of any type alone, and not into sets`() throws {
    let list = FieldValue.collection(.list)
    #expect(try refusal(.assign(Samples.path(Samples.name), list)) == .mismatched)
    #expect(
      try refusal(.insert(Samples.path(Samples.runways), at: Samples.firstKey, list))
        == .mismatched)
    #expect(try refusal(.insertMember(Samples.path(Samples.anySet), list)) == .mismatched)
    #expect(try refusal(.insertMember(Samples.path(Samples.anySet), .scalar(.int(1)))) == nil)
  }

  @Test func `no step counts on a slot of any type`() throws {
    #expect(try refusal(.increment(Samples.path(Samples.any), by: 1, on: .default)) == .mismatched)
  }

  // MARK: Nested collections

  @Test func `a path goes on into what an any-typed slot, element or entry holds`() throws {
    for path in [
      Samples.path(Samples.any, nested: .slot(instance: past)),
      Samples.path(Samples.anyList, nested: .element(element, instance: past)),
      Samples.path(Samples.anyMap, nested: .entry(key: "k", instance: past)),
      Samples.path(
        Samples.any, nested: .slot(instance: past), .element(element, instance: past),
        .entry(key: "k", instance: past)),
    ] {
      #expect(try refusal(.insert(path, at: Samples.firstKey, .scalar(.null))) == nil)
      #expect(try refusal(.assignElement(path, element, .collection(.map))) == nil)
      #expect(try refusal(.move(path, element, to: Samples.firstKey)) == nil)
      #expect(try refusal(.remove(path, element)) == nil)
      #expect(try refusal(.clear(path, [element])) == nil)
      #expect(try refusal(.assignEntry(path, key: "k", .collection(.list))) == nil)
      #expect(try refusal(.removeEntry(path, key: "k")) == nil)
      #expect(try refusal(.assign(path, .scalar(.null))) == .mismatched)
      #expect(try refusal(.increment(path, by: 1, on: .default)) == .mismatched)
      #expect(try refusal(.insertMember(path, .scalar(.null))) == .mismatched)
      #expect(try refusal(.removeMember(path, .scalar(.null))) == .mismatched)
    }
  }

  @Test func `a first nested step of another kind than the property is refused`() throws {
    let slot = NestedStep.slot(instance: past)
    let inElement = NestedStep.element(element, instance: past)
    let inEntry = NestedStep.entry(key: "k", instance: past)
    for (property, step) in [
      (Samples.any, inElement), (Samples.any, inEntry), (Samples.anyList, slot),
      (Samples.anyList, inEntry), (Samples.anyMap, slot), (Samples.anyMap, inElement),
      (Samples.anySet, slot), (Samples.name, slot), (Samples.runways, inElement),
      (Samples.scores, inEntry), (Samples.place, slot),
    ] {
      let path = Samples.path(property, nested: step)
      #expect(try refusal(.removeEntry(path, key: "k")) == .mismatched, "\(path)")
    }
    #expect(
      try refusal(.removeEntry(Samples.path(Samples.any, nested: slot, slot), key: "k"))
        == .mismatched)
  }

  @Test func `nested steps name the past only, as all steps do`() throws {
    let future = Samples.stamp(0, 0)
    for step: NestedStep in [.slot(instance: future), .slot(instance: Samples.stamp(9, by: 2, 0))] {
      let path = Samples.path(Samples.any, nested: step)
      #expect(try refusal(.removeEntry(path, key: "k")) != nil)
    }
    let path = Samples.path(
      Samples.anyList, nested: .element(Samples.element(0, 8, 0), instance: past))
    #expect(try refusal(.remove(path, element)) == .outOfRange)
  }

  @Test func `collections lie in one another sixteen deep and no deeper`() throws {
    let steps =
      [NestedStep.slot(instance: past)]
      + Array(repeating: .element(element, instance: past), count: Limits.nestingDepth - 1)
    let deepest = CellPath(
      object: Samples.airport("A"), property: Samples.any, nested: steps)
    #expect(try refusal(.insert(deepest, at: Samples.firstKey, .scalar(.int(1)))) == nil)
    #expect(
      try refusal(.insert(deepest, at: Samples.firstKey, .collection(.list))) == .overLimit)
  }
}
