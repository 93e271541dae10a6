import AtollChanges
import AtollVocabulary

/// A small world that every kind of operation fits in, and random changesets about it.
enum Samples {
  static let author = author(1)

  static func author(_ number: UInt64) -> Author {
    Author(
      replica: ReplicaID(high: 0xA000_0000_0000_0000 | number, low: number),
      incarnation: Incarnation(0x100 + number))
  }

  static let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 3)

  /// Classes: 0 Airport (String key), 1 Location (embedded), 2 Note (hidden key).
  ///
  /// Properties: each constant's number.
  static let declarations: [Declaration] =
    [
      .author(author(2)),
      .class(ClassDeclaration(name: "Airport", isEmbedded: false, keyType: .string)),
      .class(ClassDeclaration(name: "Location", isEmbedded: true, keyType: .identity)),
      .class(ClassDeclaration(name: "Note", isEmbedded: false, keyType: .identity)),
      property(0, "name", .string), property(0, "elevation", .int),
      property(0, "place", .embedded, target: 1), property(0, "runways", .string, .list),
      property(0, "places", .embedded, .list, target: 1), property(0, "note", .link, target: 2),
      property(1, "latitude", .double), property(1, "longitude", .double),
      property(1, "tags", .int, .list), property(1, "inner", .embedded, target: 1),
      property(0, "notes", .link, .list, target: 2),
    ] + collectionDeclarations

  static let name = PropertyNumber(0)
  static let elevation = PropertyNumber(1)
  static let place = PropertyNumber(2)
  static let runways = PropertyNumber(3)
  static let places = PropertyNumber(4)
  static let note = PropertyNumber(5)
  static let latitude = PropertyNumber(6)
  static let longitude = PropertyNumber(7)
  static let tags = PropertyNumber(8)
  static let inner = PropertyNumber(9)
  static let notes = PropertyNumber(10)

  static func property(
    _ owner: UInt32, _ name: String, _ type: PersistedType, _ collection: CollectionKind = .none,
    target: UInt32? = nil
  ) -> Declaration {
    .property(
      PropertyDeclaration(
        owner: ClassNumber(owner), name: name, type: type, collection: collection,
        target: target.map { ClassNumber($0) }))
  }

  static func airport(_ key: String, generation: UInt32 = 1) -> ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .string(key), generation: Generation(generation))
  }

  static func path(
    _ property: PropertyNumber, in key: String = "LSZH", _ steps: [PathStep] = []
  ) -> CellPath {
    CellPath(object: airport(key), steps: steps, property: property)
  }

  static func stamp(_ before: UInt64, by author: UInt32 = 0, _ index: UInt32) -> StampReference {
    StampReference(
      time: HybridTime(rawValue: time.rawValue &- before), author: AuthorNumber(author),
      index: index)
  }

  static func element(_ author: UInt32, _ sequence: UInt64, _ index: UInt32) -> ElementReference {
    ElementReference(
      author: AuthorNumber(author), sequence: SequenceNumber(sequence), index: index)
  }

  static func changeset(
    _ operations: [DataOperation], sequence: UInt64 = 7, dependencies: [Dependency] = [],
    declarations: [Declaration] = []
  ) -> Changeset {
    Changeset(
      author: author, sequence: SequenceNumber(sequence), time: time, dependencies: dependencies,
      declarations: declarations, data: operations)
  }

  /// One operation of every kind, one value of every type.
  static let everything = changeset(
    [
      .create(
        airport("LSZH"),
        [
          field(name, .scalar(.string("Zürich")), true),
          field(elevation, .scalar(.int(432)), false),
          field(place, .embedded(coordinate), true), field(note, .link(ownNote(0)), true),
        ]),
      .create(ownNote(1), []),
      .assign(path(name), .scalar(.string(""))),
      .assign(path(name), .scalar(.null)),
      .increment(path(elevation), by: -3, on: .default),
      .increment(path(elevation), by: 1 << 40, on: .assignment(stamp(77, by: 1, 5))),
      .insert(path(runways), at: firstKey, .scalar(.string("16/34"))),
      .insert(path(runways), at: secondKey, .scalar(.string("14/32"))),
      .assignElement(path(runways), element(0, 7, 6), .scalar(.string("10/28"))),
      .move(path(runways), element(1, 900, 3), to: firstKey),
      .remove(path(runways), element(0, 2, 1)),
      .clear(path(runways), [element(1, 900, 3), element(0, 2, 1), element(0, 7, 6)]),
      .assign(path(latitude, [.slot(place, instance: stamp(0, 0))]), .scalar(.double(47.5))),
      .insert(
        path(tags, [.element(places, element(1, 3, 2), instance: stamp(9, by: 1, 2))]),
        at: firstKey, .scalar(.int(1))),
      .assign(path(note), .link(foreignNote)),
      .delete(airport("LSZH", generation: 2)),
      .create(airport("LSZH", generation: 3), []),
    ] + collectionOperations,
    dependencies: [
      Dependency(
        author: AuthorNumber(1), sequence: SequenceNumber(900), hash: .origin(of: author(2)))
    ],
    declarations: declarations)

  static let firstKey = PositionKey.between(nil, nil, author: author)
  static let secondKey = PositionKey.between(firstKey, nil, author: author)
  static let coordinate = [
    EmbeddedField(property: latitude, value: .scalar(.double(47.458))),
    EmbeddedField(property: longitude, value: .scalar(.double(-0.0))),
  ]

  static func field(_ property: PropertyNumber, _ value: FieldValue, _ isAssigned: Bool)
    -> CreatedField
  {
    CreatedField(property: property, value: value, isAssigned: isAssigned)
  }

  static func ownNote(_ index: UInt32) -> ObjectReference {
    ObjectReference(
      class: ClassNumber(2),
      key: .identity(
        ChangeIdentity(author: author, sequence: SequenceNumber(7), index: index)),
      generation: .first)
  }

  static let foreignNote = ObjectReference(
    class: ClassNumber(2),
    key: .identity(
      ChangeIdentity(author: author(2), sequence: SequenceNumber(12), index: 4)),
    generation: .first)
}
