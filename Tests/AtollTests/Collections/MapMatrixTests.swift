import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct MapMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 37: an unmanaged map does what a dictionary does, whatever it holds`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(UnmanagedMapBody())
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 37: a managed map does what a dictionary does, whatever it holds`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(ManagedMapBody())
  }

  @Test func `rule 37: a managed map of embedded mappings does what a dictionary does`() throws {
    try EmbeddedForms.run(ManagedMapBody())
    try ManagedMapBody().run(Coordinate?.self)
    try ManagedMapBody().run(Northern?.self)
  }

  @Test func `rule 37: a map of embedded mappings does what a dictionary does`() throws {
    try EmbeddedForms.run(UnmanagedMapBody())
    try UnmanagedMapBody().run(Coordinate?.self)
    try UnmanagedMapBody().run(Northern?.self)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 37: what does not convert is there and nil among optionals, an error where asked`(
    _ type: PersistedSampleType
  ) throws {
    try type.run(UnconvertibleBody())
  }
}

/// The same random changes to a map and to a dictionary.
enum MapEdit {
  static let keys = ["", "a", "new", "key with spaces", "Zürich"]

  static func random<Value: ElementSample>(
    _ map: Map<String, Value>, _ model: inout [String: Value], _ random: inout SeededGenerator
  ) {
    guard let key = keys.randomElement(using: &random),
      let value = Value.samples.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0...8, using: &random) {
    case 0, 1:
      map[key] = value
      model[key] = value
    case 2:
      map[key] = nil
      model[key] = nil
    case 3:
      map.updateValue(value, forKey: key)
      model.updateValue(value, forKey: key)
    case 4:
      map.removeObject(for: key)
      model.removeValue(forKey: key)
    case 5:
      map.merge([key: value, "merged": value]) { old, _ in old }
      model.merge([key: value, "merged": value]) { old, _ in old }
    case 6:
      map.merge(Map([key: value, "merged": value])) { _, new in new }
      model.merge([key: value, "merged": value]) { _, new in new }
    case 7:
      map.removeAll { $0.key == key }
      model = model.filter { $0.key != key }
    default:
      #expect(map.removeValue(forKey: key) == model.removeValue(forKey: key))
    }
  }

  /// Tells whether both hold the same, asked in every way.
  static func isSame<Value: ElementSample>(
    _ map: Map<String, Value>, _ model: [String: Value]
  ) -> Bool {
    let sorted = model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return map.count == model.count && map.keys == sorted
      && map.values == sorted.compactMap { model[$0] }
      && keys.allSatisfy { map[$0] == model[$0] }
      && map.map { SingleMapEntry(key: $0.key, value: $0.value) }
        == sorted.compactMap { key in model[key].map { SingleMapEntry(key: key, value: $0) } }
      && Dictionary(uniqueKeysWithValues: map.asKeyValueSequence().map { ($0.key, $0.value) })
        == model
      && keys.allSatisfy { map[$0, default: Value.samples[0]] == model[$0] ?? Value.samples[0] }
  }
}

private struct UnmanagedMapBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let map = Map<String, Element>()
    var model: [String: Element] = [:]
    for _ in 0..<80 {
      MapEdit.random(map, &model, &random)
      #expect(MapEdit.isSame(map, model), "seed \(seed), \(Element.self)")
    }
  }
}

private struct ManagedMapBody: ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws {
    let folder = TemporaryStore([MapOf<Element>.self, Location.self])
    let store = try folder.open()
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let holder = MapOf<Element>(value: ["elements": ["a": Element.samples[0]]])
    let map = holder.elements
    var model = ["a": Element.samples[0]]
    try store.write {
      store.add(holder)
      #expect(holder.elements === map)
      for _ in 0..<40 {
        MapEdit.random(map, &model, &random)
        #expect(MapEdit.isSame(map, model), "seed \(seed), \(Element.self)")
      }
    }
    let other = try #require(try folder.open().objects(MapOf<Element>.self).first)
    #expect(MapEdit.isSame(other.elements, model), "seed \(seed), \(Element.self)")
  }
}

private struct UnconvertibleBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let optional = MapOf<FailableBox<P>?>(value: ["elements": ["a": P.rejected]])
    #expect(optional.elements["a"] == .some(nil))
    #expect(optional.elements["b"] == nil)
    let required = MapOf<FailableBox<P>>(value: ["elements": ["a": P.rejected]])
    #expect(required.elements.count == 1)
    #expect(throws: Store.Error.self) { try required.elements.value(checking: "a") }
    #expect(try required.elements.value(checking: "b") == nil)
    let folder = TemporaryStore([MapOf<FailableBox<P>>.self])
    let store = try folder.open()
    try store.write { store.add(required) }
    let error = #expect(throws: Store.Error.self) { try required.elements.value(checking: "a") }
    #expect(error?.message.contains("elements', in the object ") == true)
    #expect(error?.message.contains("the key 'a'") == true)
  }
}
