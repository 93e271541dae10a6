import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct CollectionCreationTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 26: collections are made from mapped and from persisted values, managed and not`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(CreationBody())
  }

  @Test func `rule 27: collections of embedded mappings are made from arrays and dictionaries`()
    throws
  {
    try EmbeddedForms.run(ListAndMapBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 28: an object's collections are copied to one that is made from it`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(CopyBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 30: collections take persisted values that do not convert, as rule 23 says`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(RejectedBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 31: NSNull and an empty optional both mean null in collections`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(NullBody())
  }

  @Test func `rule 29: null for a required scalar element stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ListOf<Int>(value: ["elements": [1, NSNull()] as [Any]])
    }
    #expect(said(result, "to type 'List<Int>'. Property 'ListOf<Int>.elements'"))
  }

  @Test func `rule 29: creating with null in a list of embedded mappings stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([ListOf<Coordinate>.self, Location.self])
      let store = try folder.open()
      try store.write {
        store.create(ListOf<Coordinate>.self, value: ["elements": [NSNull()] as [Any]])
      }
    }
    #expect(said(result, "Property 'ListOf<Coordinate>.elements'"))
  }

  @Test func `rule 29: creating with null in a list throws where that is asked for`() throws {
    let folder = TemporaryStore([ListOf<Coordinate>.self, Location.self])
    let store = try folder.open()
    try store.write {
      let error = #expect(throws: Store.Error.self) {
        try store.create(
          checking: ListOf<Coordinate>.self, value: ["elements": [NSNull()] as [Any]])
      }
      #expect(error?.code == .invalidValue)
    }
  }
}

/// Mapped values, persisted ones, and both mixed.
private func forms<Element: Sampled>(_: Element.Type) -> [[Any]] {
  let (mapped, raw) = (Element.samples.map { $0 as Any }, Element.samples.map(\.raw))
  return [mapped, raw, zip(mapped, raw).enumerated().map { $0.isMultiple(of: 2) ? $1.0 : $1.1 }]
}

private struct CreationBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    try ListAndMapBody().run(Element.self)
    let folder = TemporaryStore([SetOf<Element>.self])
    let store = try folder.open()
    for (id, values) in forms(Element.self).enumerated() {
      let value: [String: Any] = ["id": id, "elements": values]
      #expect(Set(SetOf<Element>(value: value).elements) == Set(Element.samples))
      let made = try store.write { store.create(SetOf<Element>.self, value: value) }
      #expect(Set(made.elements) == Set(Element.samples), "\(Element.self)")
    }
  }
}

private struct ListAndMapBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([ListOf<Element>.self, MapOf<Element>.self, Location.self])
    let store = try folder.open()
    for (id, values) in forms(Element.self).enumerated() {
      let list: [String: Any] = ["id": id, "elements": values]
      #expect(ListOf<Element>(value: list).elements.elementsEqual(Element.samples))
      let keys = values.indices.map { "key \($0)" }
      let entries = Dictionary(uniqueKeysWithValues: zip(keys, values))
      let map: [String: Any] = ["id": id, "elements": entries]
      #expect(MapOf<Element>(value: map).elements.values == Element.samples)
      try store.write {
        let lists = store.create(ListOf<Element>.self, value: list)
        #expect(lists.elements.elementsEqual(Element.samples), "\(Element.self)")
        let maps = store.create(MapOf<Element>.self, value: map)
        #expect(maps.elements.values == Element.samples, "\(Element.self)")
      }
    }
  }
}

private struct CopyBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([ListOf<Element>.self, MapOf<Element>.self])
    let store = try folder.open()
    let list = ListOf<Element>(value: ["elements": Element.samples])
    let map = MapOf<Element>(value: ["elements": ["a": Element.samples[0]]])
    try store.write {
      store.add(list)
      store.add(map)
    }
    let (listCopy, mapCopy) = (ListOf<Element>(value: list), MapOf<Element>(value: map))
    #expect(listCopy.elements.elementsEqual(Element.samples))
    #expect(mapCopy.elements["a"] == Element.samples[0])
    #expect(listCopy.elements != list.elements)
    #expect(listCopy.store == nil)
    listCopy.elements.removeAll()
    #expect(list.elements.count == Element.samples.count)
  }
}

private struct RejectedBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    typealias Lists = ListOf<FailableBox<P>>
    typealias Maps = MapOf<FailableBox<P>?>
    let folder = TemporaryStore([Lists.self, SetOf<FailableBox<P>>.self, Maps.self])
    let store = try folder.open()
    try store.write {
      let list = store.create(Lists.self, value: ["elements": [P.rejected]])
      #expect(throws: Store.Error.self) { try list.elements.element(checking: 0) }
      list.elements.append(objectsIn: FailableBox<P>.samples)
      #expect(list.elements.count == 1 + FailableBox<P>.samples.count)
      let set = store.create(SetOf<FailableBox<P>>.self, value: ["elements": [P.rejected]])
      #expect(throws: Store.Error.self) { try set.elements.element(checking: 0) }
      let map = store.create(Maps.self, value: ["elements": ["a": P.rejected]])
      #expect(map.elements["a"] == .some(nil))
      store.add(Lists(value: ["id": 2, "elements": [P.rejected]]))
    }
    #expect(store.object(ofType: Lists.self, forPrimaryKey: 2)?.elements.count == 1)
  }
}

private struct NullBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let nulls: [Any] = [NSNull(), P?.none as Any, Box<P>?.none as Any]
    #expect(Array(ListOf<P?>(value: ["elements": nulls]).elements) == [nil, nil, nil])
    #expect(Array(ListOf<Box<P>?>(value: ["elements": nulls]).elements) == [nil, nil, nil])
    #expect(Array(SetOf<P?>(value: ["elements": nulls]).elements) == [nil])
    let map = MapOf<Box<P>?>(value: ["elements": ["a": nulls[0], "b": nulls[1]]])
    #expect(map.elements.values == [nil, nil])
  }
}
