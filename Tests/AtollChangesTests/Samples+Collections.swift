import AtollChanges
import AtollVocabulary

// Sets, maps, any-typed slots and decimals.
extension Samples {
  /// They follow the other properties, from number 11.
  static let collectionDeclarations: [Declaration] = [
    property(0, "labels", .string, .set), property(0, "friends", .link, .set, target: 2),
    property(0, "scores", .int, .map), property(0, "spots", .embedded, .map, target: 1),
    property(0, "any", .any), property(0, "anyList", .any, .list),
    property(0, "anyMap", .any, .map), property(0, "anySet", .any, .set),
    property(0, "price", .decimal), property(1, "extra", .any),
    property(1, "marks", .decimal, .set),
  ]

  static let labels = PropertyNumber(11)
  static let friends = PropertyNumber(12)
  static let scores = PropertyNumber(13)
  static let spots = PropertyNumber(14)
  static let any = PropertyNumber(15)
  static let anyList = PropertyNumber(16)
  static let anyMap = PropertyNumber(17)
  static let anySet = PropertyNumber(18)
  static let price = PropertyNumber(19)
  static let extra = PropertyNumber(20)
  static let marks = PropertyNumber(21)

  static func path(
    _ property: PropertyNumber, nested first: NestedStep, _ others: NestedStep...
  ) -> CellPath {
    CellPath(object: airport("LSZH"), property: property, nested: [first] + others)
  }

  /// A whole number times a power of ten.
  static func decimal(_ coefficient: UInt64, _ exponent: Int) -> PersistedValue {
    .decimal(Decimal128(high: UInt64(exponent + 6176) << 49, low: coefficient))
  }

  static let own = stamp(0, 0)
  static let foreign = stamp(9, by: 1, 2)

  /// Every operation on sets and maps, and every way into what an any-typed slot holds.
  static let collectionOperations: [DataOperation] = [
    .assign(path(price), .scalar(decimal(150, -2))),
    .insertMember(path(labels), .scalar(.string("hub"))),
    .removeMember(path(labels), .scalar(.null)),
    .insertMember(path(friends), .link(foreignNote)),
    .insertMember(
      path(marks, in: "LSZH", [.slot(place, instance: own)]), .scalar(decimal(1, 3))),
    .assignEntry(path(scores), key: "été", .scalar(.int(7))),
    .removeEntry(path(scores), key: ""),
    .assignEntry(path(spots), key: "tower", .embedded(coordinate)),
    .assign(
      path(latitude, in: "LSZH", [.entry(spots, key: "tower", instance: foreign)]),
      .scalar(.double(1))),
    .assign(path(any), .link(airport("LSGG"))),
    .assign(path(any), .collection(.list)),
    .insert(path(any, nested: .slot(instance: own)), at: firstKey, .collection(.map)),
    .assignEntry(
      path(any, nested: .slot(instance: own), .element(element(0, 7, 1), instance: own)),
      key: "a", .scalar(.float(1.5))),
    .removeEntry(
      path(any, nested: .slot(instance: own), .entry(key: "b", instance: foreign)), key: "a"),
    .insert(path(anyList), at: firstKey, .collection(.list)),
    .assignElement(path(anyList), element(1, 3, 2), .scalar(.uuid(UniqueBytes(high: 1, low: 2)))),
    .clear(
      path(anyList, nested: .element(element(1, 3, 2), instance: foreign)), [element(1, 3, 3)]),
    .assignEntry(path(anyMap), key: "k", .collection(.map)),
    .move(
      path(anyMap, nested: .entry(key: "k", instance: own)), element(0, 7, 0), to: secondKey),
    .removeMember(path(anySet), .scalar(.bool(true))),
    .assign(path(extra, in: "LSZH", [.slot(place, instance: own)]), .collection(.map)),
    .create(
      airport("LSGG"),
      [
        field(any, .collection(.list), false), field(price, .scalar(decimal(0, 0)), true),
      ]),
  ]
}
