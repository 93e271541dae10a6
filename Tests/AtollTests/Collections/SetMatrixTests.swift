import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct SetMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 36: an unmanaged set tells elements apart by their persisted values`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(UnmanagedSetBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func
    `rule 36: an unconvertible element of a set is nil among optionals, and an error where asked`(
      _ type: PersistedSampleType
    ) throws
  {
    try type.run(UnconvertibleBody())
  }
}

/// The same random changes to a set and to a Swift set.
enum SetEdit {
  static func random<Element: ElementSample>(
    _ set: MutableSet<Element>, _ model: inout Set<Element>, _ random: inout SeededGenerator
  ) {
    let values = (0..<2).compactMap { _ in Element.samples.randomElement(using: &random) }
    let value = values[0]
    switch Int.random(in: 0...8, using: &random) {
    case 0, 1:
      set.insert(value)
      model.insert(value)
    case 2, 3:
      set.remove(value)
      model.remove(value)
    case 4:
      set.insert(objectsIn: values)
      model.formUnion(values)
    case 5:
      set.formUnion(MutableSet(values))
      model.formUnion(values)
    case 6:
      set.formIntersection(MutableSet(Element.samples.dropLast()))
      model.formIntersection(Element.samples.dropLast())
    case 7:
      set.subtract(MutableSet(values))
      model.subtract(values)
    default:
      set.removeAll()
      model.removeAll()
    }
  }

  /// Tells whether both hold the same, asked in every way.
  static func isSame<Element: ElementSample>(
    _ set: MutableSet<Element>, _ model: Set<Element>
  ) -> Bool {
    let all = MutableSet(Element.samples)
    let first = Element.samples[0]
    return set.count == model.count && Set(set) == model && set.allSatisfy(set.contains)
      && Element.samples.allSatisfy { set.contains($0) == model.contains($0) }
      && set.isSubset(of: all) && all.isSuperset(of: set)
      && set.isSuperset(of: all) == (model.count == Element.samples.count)
      && set.intersects(MutableSet([first])) == model.contains(first)
      && set.indices.allSatisfy { model.contains(set[$0]) }
      && (set.first == nil) == model.isEmpty
  }
}

private struct UnmanagedSetBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let set = MutableSet<Element>()
    var model: Set<Element> = []
    for _ in 0..<80 {
      SetEdit.random(set, &model, &random)
      #expect(SetEdit.isSame(set, model), "seed \(seed), \(Element.self)")
    }
  }
}

private struct ManagedSetBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([SetOf<Element>.self])
    let store = try folder.open()
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let holder = SetOf<Element>(value: ["elements": Element.samples])
    let set = holder.elements
    var model = Set(Element.samples)
    try store.write {
      store.add(holder)
      #expect(holder.elements === set)
      for _ in 0..<40 {
        SetEdit.random(set, &model, &random)
        #expect(SetEdit.isSame(set, model), "seed \(seed), \(Element.self)")
      }
    }
    let other = try #require(try folder.open().objects(SetOf<Element>.self).first)
    #expect(SetEdit.isSame(other.elements, model), "seed \(seed), \(Element.self)")
  }
}

private struct UnconvertibleBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let optional = SetOf<FailableBox<P>?>(value: ["elements": [P.rejected]])
    #expect(optional.elements.first == .some(nil))
    #expect(optional.elements.count == 1)
    let required = SetOf<FailableBox<P>>(value: ["elements": [P.rejected, P.rejected]])
    #expect(required.elements.count == 1)
    #expect(throws: Store.Error.self) { try required.elements.element(checking: 0) }
    let folder = TemporaryStore([SetOf<FailableBox<P>>.self])
    let store = try folder.open()
    try store.write { store.add(required) }
    let error = #expect(throws: Store.Error.self) { try required.elements.element(checking: 0) }
    #expect(error?.message.contains("elements', in the object ") == true)
  }
}
