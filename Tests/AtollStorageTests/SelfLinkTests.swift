import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// Links from every kind of cell to the object that holds them, to one that is made later in the same
/// changeset, and to one that is deleted in it.
@Suite struct `links within one changeset` {
  /// The object to which the links of object 1 lead.
  enum Target: CaseIterable {
    case itself
    case madeLater
    case madeBefore
    case deleted
  }

  private static let model: [ClassSchema] = [
    ClassSchema(
      name: "Part", isEmbedded: true,
      properties: [
        PropertySchema(name: "any", type: .any, isOptional: true),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Node"),
      ]),
    ClassSchema(
      name: "Node", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "any", type: .any, isOptional: true),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Node"),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Part"),
        PropertySchema(name: "anys", type: .any, collection: .list),
        PropertySchema(name: "anySet", type: .any, collection: .set),
        PropertySchema(name: "anyMap", type: .any, collection: .map),
        PropertySchema(name: "links", type: .link, collection: .list, target: "Node"),
        PropertySchema(name: "linkSet", type: .link, collection: .set, target: "Node"),
        PropertySchema(name: "linkMap", type: .link, collection: .map, target: "Node"),
        PropertySchema(name: "parts", type: .embedded, collection: .list, target: "Part"),
        PropertySchema(name: "nested", type: .any, isOptional: true),
      ]),
  ]

  private static let declarations: [Declaration] = {
    var declarations: [Declaration] = [
      .class(ClassDeclaration(name: "Node", isEmbedded: false, keyType: .int)),
      .class(ClassDeclaration(name: "Part", isEmbedded: true, keyType: .identity)),
    ]
    for (number, schema) in [(ClassNumber(1), model[0]), (ClassNumber(0), model[1])] {
      for property in schema.properties where property.name != schema.primaryKey {
        let target: ClassNumber? =
          switch property.type {
          case .link: ClassNumber(0)
          case .embedded: ClassNumber(1)
          default: nil
          }
        declarations.append(
          .property(
            PropertyDeclaration(
              owner: number, name: property.name, type: property.type,
              collection: property.collection, target: target)))
      }
    }
    return declarations
  }()

  private static func property(_ name: String, of owner: Int) -> PropertyNumber {
    let names =
      model[0].properties.map { "0.\($0.name)" }
      + model[1].properties.dropFirst().map { "1.\($0.name)" }
    return PropertyNumber(UInt32(names.firstIndex(of: "\(owner).\(name)") ?? 0))
  }

  private static func reference(_ key: Int64, _ generation: Generation = .first) -> ObjectReference
  {
    ObjectReference(class: ClassNumber(0), key: .int(key), generation: generation)
  }

  private static func author(_ number: UInt64) -> Author {
    Author(replica: ReplicaID(high: number, low: number), incarnation: Incarnation(1))
  }

  private static func time(_ milliseconds: UInt64) -> HybridTime {
    HybridTime(rawValue: (1_000_000 + milliseconds) << 16)
  }

  private static func changeset(
    _ number: UInt64, _ sequence: UInt64, at milliseconds: UInt64,
    _ operations: [DataOperation]
  ) -> IncomingChangeset {
    var encoder = ChangesetEncoder(
      author: author(number), sequence: SequenceNumber(sequence), time: time(milliseconds))
    for operation in operations { encoder.append(operation) }
    return IncomingChangeset(
      author: author(number), sequence: SequenceNumber(sequence),
      bytes: encoder.finish(declarations: sequence == 1 ? declarations : []))
  }

  /// The changeset that makes object 1 with a link in every kind of cell.
  private static func linking(to target: Target) -> IncomingChangeset {
    let second = reference(2)
    let led = FieldValue.link(target == .itself ? reference(1) : second)
    func field(_ name: String, _ value: FieldValue) -> CreatedField {
      CreatedField(property: property(name, of: 1), value: value, isAssigned: true)
    }
    let part = FieldValue.embedded(
      ["any", "link"].map { EmbeddedField(property: property($0, of: 0), value: led) })
    let before: [DataOperation] =
      switch target {
      case .itself, .madeLater: []
      case .madeBefore: [.create(second, [])]
      case .deleted: [.create(second, []), .delete(reference(2, Generation(2)))]
      }
    let made = UInt32(before.count)
    func path(_ name: String, _ nested: [NestedStep] = []) -> CellPath {
      CellPath(object: reference(1), property: property(name, of: 1), nested: nested)
    }
    let position = PositionKey.between(nil, nil, author: author(1))
    let slot = NestedStep.slot(
      instance: StampReference(time: time(10), author: .ownself, index: made + 8))
    let cells: [DataOperation] = [
      .create(reference(1), [field("any", led), field("link", led), field("one", part)]),
      .insert(path("anys"), at: position, led),
      .insertMember(path("anySet"), led),
      .assignEntry(path("anyMap"), key: "k", led),
      .insert(path("links"), at: position, led),
      .insertMember(path("linkSet"), led),
      .assignEntry(path("linkMap"), key: "k", led),
      .insert(path("parts"), at: position, part),
      .assign(path("nested"), .collection(.list)),
      .insert(path("nested", [slot]), at: position, led),
    ]
    return changeset(
      1, 1, at: 10, before + cells + (target == .madeLater ? [.create(second, [])] : []))
  }

  /// The changes of others to both objects without having seen that: make them, delete them, make
  /// them again.
  private static let others: [IncomingChangeset] = [
    changeset(2, 1, at: 5, [.create(reference(1), []), .create(reference(2), [])]),
    changeset(
      3, 1, at: 20,
      [1, 2].flatMap { [.create(reference($0), []), .delete(reference($0, Generation(2)))] }),
    changeset(
      3, 2, at: 30,
      [.create(reference(1, Generation(3)), []), .create(reference(2, Generation(3)), [])]),
  ]

  /// All orders in which the changesets can come, the author of two of them in its order.
  private static let orders: [[Int]] = {
    func permutations(_ rest: [Int]) -> [[Int]] {
      rest.isEmpty
        ? [[]] : rest.flatMap { one in permutations(rest.filter { $0 != one }).map { [one] + $0 } }
    }
    return permutations([0, 1, 2, 3]).filter { order in
      (order.firstIndex(of: 2) ?? 0) < (order.firstIndex(of: 3) ?? 0)
    }
  }()

  private func store(_ changesets: [IncomingChangeset]) throws -> TestStore {
    let store = try TestStore(model: Self.model)
    for changeset in changesets {
      let outcomes = try store.file.apply([changeset])
      guard case .applied? = outcomes.first else { throw TestFailure("not applied: \(outcomes)") }
      try store.checkDigests()
      #expect(try store.file.verify() == [])
    }
    return store
  }

  /// Deletes whatever is there and makes it again, as an application does.
  private func renew(_ store: TestStore) throws {
    for key in [Int64(1), 2] {
      try store.write { store in
        if let id = try store.file.find(store["Node"].id, key: .int(key)) {
          try store.file.delete(store["Node"].id, id: id)
        }
        _ = try store.file.create(store["Node"].id, key: .int(key), fields: [])
      }
      #expect(try store.file.verify() == [])
    }
  }

  @Test(arguments: Target.allCases)
  func `issue 28.5: lead to their object from every kind of cell`(_ target: Target) throws {
    let store = try store([Self.linking(to: target)])
    let led =
      target == .itself
      ? #"{"class":"Node","key":1}"#
      : target == .deleted ? "null" : #"{"class":"Node","key":2}"#
    let shown =
      try store.exported().split(separator: "\n")
      .first { $0.hasPrefix(#"{"class":"Node","key":1,"#) }.map(String.init) ?? ""
    let count = shown.components(separatedBy: led).count - 1
    // A deleted target is hidden in lists and sets of links, and in sets of any type.
    let visible = target == .deleted ? 10 : 13
    #expect(count == visible, "\(shown)")
    try renew(store)
  }

  @Test(arguments: Target.allCases)
  func `issue 28.5: are the same in whatever order others make, delete and make again`(
    _ target: Target
  ) throws {
    let changesets = [Self.linking(to: target)] + Self.others
    for count in 1...changesets.count {
      var shown: [Set<Int>: String] = [:]
      for order in Self.orders where order.prefix(count).contains(0) {
        let came = order.prefix(count)
        // The second changeset of an author has its first before it.
        guard !came.contains(3) || came.contains(2) else { continue }
        let store = try store(came.map { changesets[$0] })
        let text = try store.exported()
        #expect(shown[Set(came), default: text] == text, "\(target), \(Array(came))")
        shown[Set(came)] = text
        try renew(store)
      }
    }
  }
}
