import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct UnconvertibleTrapTests {
  /// A managed object of a generic holder, with the key 7.
  private static func managed<T: Object>(_ type: T.Type, _ elements: Any) throws -> T {
    let folder = TemporaryStore([type])
    let store = try folder.open()
    return try store.write { store.create(type, value: ["id": 7, "elements": elements]) }
  }

  @Test func `rule 34: an unconvertible element of a managed list stops with place and key`() async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.managed(ListOf<Even>.self, [2, 3]).elements[1]
    }
    #expect(
      said(
        result,
        "Could not convert value '3' to type 'Even'. An element of property "
          + "'ListOf<Even>.elements', in the object ListOf<Even> with id 7."))
  }

  @Test func `rule 36: an unconvertible element of a managed set stops with place and key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.managed(SetOf<Even>.self, [3]).elements.first
    }
    #expect(
      said(
        result,
        "Could not convert value '3' to type 'Even'. An element of property "
          + "'SetOf<Even>.elements', in the object SetOf<Even> with id 7."))
  }

  @Test func `rule 37: an unconvertible value of a managed map stops with place and key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.managed(MapOf<Even>.self, ["a": 3]).elements["a"]
    }
    #expect(
      said(
        result,
        "Could not convert value '3' to type 'Even'. An element of property "
          + "'MapOf<Even>.elements', in the object MapOf<Even> with id 7."))
  }

  @Test func `reading what does not convert leaves it as it is stored`() throws {
    let folder = TemporaryStore([ListOf<Even?>.self, MapOf<Even?>.self])
    let store = try folder.open()
    try store.write {
      let list = store.create(ListOf<Even?>.self, value: ["elements": [3, 4]]).elements
      let map = store.create(MapOf<Even?>.self, value: ["elements": ["a": 3]]).elements
      #expect(Array(list) == [nil, Even(4)])
      #expect(map["a"] == .some(nil))
      list.move(from: 0, to: 1)
      list.append(Even(6))
    }
    let other = try folder.open()
    #expect(other.unconvertible(ListOf<Even?>.self).map { $0.persistedValue as? Int } == [3])
    #expect(other.unconvertible(MapOf<Even?>.self).map { $0.persistedValue as? Int } == [3])
  }
}
