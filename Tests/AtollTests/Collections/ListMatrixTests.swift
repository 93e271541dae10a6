import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct ListMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 34: an unmanaged list does what an array does, whatever it holds`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(UnmanagedListBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 34: a managed list does what an array does, whatever it holds`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(ManagedListBody())
  }

  @Test func `rule 34: a list of embedded mappings does what an array does`() throws {
    try EmbeddedForms.run(UnmanagedListBody())
    try EmbeddedForms.run(ManagedListBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 35: a list finds elements by their persisted values`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(FindingBody())
  }

  @Test func `rule 35: a list finds no value mapped to an embedded object`() throws {
    let list = List(Coordinate.samples)
    #expect(list.index(of: Coordinate.samples[1]) == nil)
    #expect(list.contains(Coordinate.samples[1]))
    #expect(list.firstIndex(of: Coordinate.samples[1]) == 1)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 34: an unconvertible element is nil among optionals, and an error where asked`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(UnconvertibleBody())
  }
}

private struct UnmanagedListBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let list = List<Element>()
    var array: [Element] = []
    for _ in 0..<60 {
      ListEdit.random(list, &array, &random)
      #expect(list.elementsEqual(array), "seed \(seed), \(Element.self)")
    }
  }
}

private struct ManagedListBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([ListOf<Element>.self, Location.self])
    let store = try folder.open()
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let holder = ListOf<Element>(value: ["elements": Element.samples])
    let list = holder.elements
    var array = Element.samples
    try store.write {
      store.add(holder)
      #expect(holder.elements === list)
      for _ in 0..<60 {
        ListEdit.random(list, &array, &random)
        #expect(list.elementsEqual(array), "seed \(seed), \(Element.self)")
      }
    }
    let other = try #require(try folder.open().objects(ListOf<Element>.self).first)
    #expect(other.elements.elementsEqual(array), "seed \(seed), \(Element.self)")
    #expect(other.elements.indices.allSatisfy { other.elements[$0] == array[$0] })
  }
}

private struct FindingBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([ListOf<Element>.self, Location.self])
    let store = try folder.open()
    let holder = ListOf<Element>()
    holder.elements.append(objectsIn: Element.samples.dropLast())
    for _ in 0..<2 {
      for (index, element) in Element.samples.dropLast().enumerated() {
        #expect(holder.elements.index(of: element) == index)
        #expect(holder.elements.contains(element))
      }
      if let missing = Element.samples.last {
        #expect(holder.elements.index(of: missing) == nil)
        #expect(!holder.elements.contains(missing))
      }
      if holder.store == nil { try store.write { store.add(holder) } }
    }
  }
}

private struct UnconvertibleBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let optional = List<FailableBox<P>?>(FailableBox<P>?.samples)
    let raw = ListOf<FailableBox<P>?>(value: ["elements": [P.rejected]])
    optional.append(objectsIn: raw.elements)
    #expect(Array(raw.elements) == [nil])
    let required = ListOf<FailableBox<P>>(value: ["elements": [P.rejected, P.samples[0]]])
    #expect(required.elements.count == 2)
    #expect(throws: Store.Error.self) { try required.elements.element(checking: 0) }
    #expect(try required.elements.element(checking: 1).value == P.samples[0])
    let folder = TemporaryStore([ListOf<FailableBox<P>>.self])
    let store = try folder.open()
    try store.write { store.add(required) }
    let error = #expect(throws: Store.Error.self) {
      try required.elements.element(checking: 0)
    }
    #expect(error?.message.contains("Could not convert value '") == true)
    #expect(error?.message.contains("elements', in the object ") == true)
    #expect(error?.message.contains("with id 0") == true)
  }
}
