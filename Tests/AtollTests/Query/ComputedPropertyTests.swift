import Atoll
import Foundation
import StoreTestKit
import Testing

/// Key paths to properties that are computed are told from those to what is stored.
@Suite struct ComputedPropertyTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore(Gadget.types)
    store = try folder.open()
    try store.write {
      for (id, name) in ["Anvil", "axe", "Bolt", "Awl"].enumerated() {
        store.create(Gadget.self, value: ["id": id, "name": name, "price": 10 - id])
      }
    }
  }

  /// The sentence that a key path is refused with; nil if it has names.
  private func refusal<Root: ObjectBase>(_ path: PartialKeyPath<Root>) -> String? {
    guard case .computed(let computed) = KeyPathNames.meaning(of: path) else { return nil }
    return computed.sentence
  }

  nonisolated(unsafe) private static let computed: [PartialKeyPath<Gadget>] = [
    \Gadget.double, \Gadget.minimum, \Gadget.magnitude, \Gadget.trimmed, \Gadget.title,
    \Gadget.firstLetter, \Gadget.brief, \Gadget.certain, \Gadget.noteOrDash, \Gadget.isOpen,
    \Gadget.day, \Gadget.rounded, \Gadget.raised, \Gadget.raisedOptional, \Gadget.north,
    \Gadget.looser, \Gadget.plain, \Gadget.copied, \Gadget.listCount, \Gadget.isActive,
    \Gadget.full, \Gadget.either, \Gadget.nextPrice, \Gadget.nextName, \Gadget.chain,
    \Gadget.doublePrice,
  ]

  @Test func `issue 28.2: a property that is computed from what is stored has no name`() {
    for path in Self.computed {
      let sentence = refusal(path) ?? "none for \(path)"
      #expect(
        sentence.contains("is computed from '") && sentence.contains("not stored"), "\(sentence)")
    }
  }

  @Test func `issue 28.2: the sentence names the computed property and what it reads`() throws {
    let double = try #require(refusal(\Gadget.double))
    #expect(
      double.contains(
        "leads to the property 'double' of type 'Int', which is computed from 'price'"))
    let full = try #require(refusal(\Gadget.full))
    #expect(full.contains("'full' of type 'String', which is computed from 'name' and 'price'"))
    #expect(
      try #require(refusal(\Gadget.next?.double)).contains("'double' of type 'Optional<Int>'"))
    #expect(try #require(refusal(\SpecialGadget.triple)).contains("'triple'"))
    #expect(try #require(refusal(\Gadget.doublePrice)).contains("'doublePrice'"))
  }

  @Test func `issue 28.2: linked, embedded, inherited and generic ones are told apart too`() {
    for path in [
      \Gadget.next?.double, \Gadget.next?.next?.magnitude, \Gadget.part?.half,
      \Gadget.part?.deeper?.negative, \Gadget.either?.price, \Gadget.next!.double,
      GenericPaths.doublePrice(of: Gadget.self),
    ] as [PartialKeyPath<Gadget>] {
      #expect(refusal(path) != nil, "\(path)")
    }
    for path in [
      \SpecialGadget.double, \SpecialGadget.triple, \SpecialGadget.title,
      \SpecialGadget.next?.title,
      GenericPaths.doublePrice(of: SpecialGadget.self),
    ] as [PartialKeyPath<SpecialGadget>] {
      #expect(refusal(path) != nil, "\(path)")
    }
  }

  @Test func `issue 28.2: one that reads nothing stored says so`() throws {
    let sentence = try #require(refusal(\Gadget.fixed))
    #expect(sentence.contains("reads no @Persisted property"))
  }

  @Test func `issue 28.2: what is stored keeps its name, however it is reached`() {
    #expect(_name(for: \Gadget.price) == "price" && _name(for: \Gadget.note) == "note")
    #expect(_name(for: \Gadget.made) == "made" && _name(for: \Gadget.level) == "level")
    #expect(_name(for: \Gadget.optionalLevel) == "optionalLevel")
    #expect(_name(for: \Gadget.place) == "place" && _name(for: \Gadget.anything) == "anything")
    #expect(_name(for: \Gadget.next) == "next" && _name(for: \Gadget.next?.note) == "next.note")
    #expect(_name(for: \Gadget.next!.price) == "next.price")
    #expect(_name(for: \Gadget.next!.spare?.next!.price) == "next.spare.next.price")
    #expect(_name(for: \Gadget.part?.deeper?.depth) == "part.deeper.depth")
    #expect(_name(for: \Gadget.part) == "part" && _name(for: \Gadget.parts) == "parts")
    #expect(_name(for: \Gadget.list) == "list" && _name(for: \Ware.shelves) == "shelves")
    #expect(_name(for: \SpecialGadget.price) == "price" && _name(for: \SpecialGadget.own) == "own")
    #expect(_name(for: \SpecialGadget.next?.name) == "next.name")
    #expect(_name(for: GenericPaths.price(of: Gadget.self)) == "price")
    #expect(_name(for: GenericPaths.price(of: SpecialGadget.self)) == "price")
  }

  @Test func `issue 28.2: a property that passes a stored one on means that one`() {
    #expect(_name(for: \Gadget.alias) == "price" && _name(for: \Gadget.linkAlias) == "next")
    #expect(_name(for: \Gadget.listAlias) == "list")
    #expect(_name(for: \Gadget.linkAlias?.alias) == "next.price")
  }

  @Test func `issue 28.2: the parts of a key path are known from its description`() throws {
    let path = try #require(KeyPathStructure(\Gadget.next!.spare?.next?.price))
    #expect(path.parts.map(\.isForced) == [true, false, false, false])
    #expect(path.parts.map(\.isChained) == [false, true, true, false])
    #expect(try #require(KeyPathStructure(\Bearer<Box<Int>>.value)).parts.count == 1)
    #expect(KeyPathStructure(parts: ".a?.b!.<computed 0x1 ((Int) -> (B.C))>")?.parts.count == nil)
    #expect(KeyPathStructure(parts: ".a?.<computed 0x1 (Optional<Int>)>")?.parts.count == 2)
    #expect(KeyPathStructure(parts: "a") == nil && KeyPathStructure(parts: "..") == nil)
    #expect(KeyPathStructure(parts: "")?.parts.isEmpty == true)
  }

  @Test func `issue 28.2: sections by a computed property are those of its values`() {
    let byLetter = store.objects(Gadget.self).sectioned(by: \Gadget.firstLetter, ascending: true)
    #expect(byLetter.map(\.key) == ["A", "B", "a"])
    #expect(byLetter.map { $0.map(\.name) } == [["Anvil", "Awl"], ["Bolt"], ["axe"]])
    let byOpen = store.objects(Gadget.self)
      .sectioned(by: \Gadget.isActive, sortDescriptors: [SortDescriptor(keyPath: "price")])
    #expect(byOpen.map(\.key) == [false] && byOpen[0].map(\.price) == [7, 8, 9, 10])
    let byDouble = store.objects(Gadget.self).sectioned(by: \.double, ascending: false)
    #expect(byDouble.map(\.key) == [20, 18, 16, 14])
    let byNextPrice = store.objects(Gadget.self)
      .sectioned(by: \.nextPrice, sortDescriptors: [SortDescriptor(keyPath: \Gadget.id)])
    #expect(byNextPrice.map(\.key) == [0])
  }

  @Test func `issue 28.2: projections of computed properties hear of all that these read`()
    async throws
  {
    let gadget = try #require(store.object(ofType: Gadget.self, forPrimaryKey: 0))
    let view = GadgetView(projecting: gadget)
    #expect(view.double == 20 && view.full == "Anvil 10" && view.following == nil)
    var changes = view.changes().makeAsyncIterator()
    try store.write { gadget.name = "Vice" }
    guard case .change(_, let first)? = try await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(first.map(\.name) == ["full"] && first.first?.newValue as? String == "Vice 10")
    try store.write { gadget.price = 4 }
    guard case .change(_, let second)? = try await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(second.map(\.name) == ["double", "full"])
    #expect(second.first?.newValue as? Int == 8 && second.first?.oldValue == nil)
  }
}

/// Every place that takes a key path refuses one to a computed property.
@Suite struct ComputedPropertyTrapTests {
  enum Use: String, CaseIterable, Codable, Sendable {
    case query, queryOfLink, queryOfEmbedded, sum, minimum, maximum, average, sorted, descriptor
    case distinct, name, observeObject, observeResults, observeList, sectioned, listSorted,
      projected
  }

  @Test(arguments: Use.allCases)
  func `issue 28.2: a computed property is refused where a key path is asked what is stored`(
    _ use: Use
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use = use as Use] in
      try Self.commit(use)
    }
    #expect(said(result, "of type '") && said(result, "and not stored. Only @Persisted"), "\(use)")
  }

  private static func commit(_ use: Use) throws {
    let folder = TemporaryStore(Gadget.types)
    let store = try folder.open()
    let all = store.objects(Gadget.self)
    let gadget = try store.write { store.create(Gadget.self, value: ["id": 1]) }
    switch use {
    case .query: _ = all.where { $0.double > 3 }
    case .queryOfLink: _ = all.where { $0.next.double > 3 }
    case .queryOfEmbedded: _ = all.where { $0.parts.half == 3 }
    case .sum: _ = all.sum(of: \.double)
    case .minimum: _ = all.min(of: \.magnitude)
    case .maximum: _ = all.max(of: \.day)
    case .average:
      let average: Double? = all.average(of: \.rounded)
      _ = average
    case .sorted: _ = all.sorted(by: \.trimmed)
    case .descriptor: _ = all.sorted(by: [SortDescriptor(keyPath: \Gadget.next?.title)])
    case .distinct: _ = all.distinct(by: [\.isOpen])
    case .name: _ = _name(for: \Gadget.certain)
    case .observeObject: _ = gadget.observe(keyPaths: [\.double]) { _ in }
    case .observeResults: _ = all.observe(keyPaths: [\.full]) { _ in }
    case .observeList: _ = gadget.parts.observe(keyPaths: [\.half]) { _ in }
    case .sectioned: _ = all.sectioned(by: \.full)
    case .listSorted: _ = gadget.others.sorted(by: \.double)
    case .projected: _ = store.objects(GadgetView.self).sorted(by: \.double)
    }
  }
}
