import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct LongListTests {
  @Test func `a long list does what an array does, before and after it is read`() throws {
    let folder = TemporaryStore([ListOf<Int>.self])
    let store = try folder.open()
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var array = Array(0..<5000)
    try store.write {
      let list = store.create(ListOf<Int>.self).elements
      list.append(objectsIn: 0..<5000)
      #expect(list.count == 5000)
      for number in 0..<400 {
        let index = Int.random(in: array.indices, using: &random)
        if number.isMultiple(of: 4) {
          list.remove(at: index)
          array.remove(at: index)
        } else {
          list.insert(-number, at: index)
          array.insert(-number, at: index)
        }
        // The removed element may have been the last.
        let isThere = array.indices.contains(index)
        if number > 200, isThere { #expect(list[index] == array[index], "seed \(seed)") }
      }
      #expect(list.elementsEqual(array), "seed \(seed)")
    }
    let other = try #require(try folder.open().objects(ListOf<Int>.self).first)
    #expect(other.elements.elementsEqual(array), "seed \(seed)")
  }

  @Test func `a long list is added with its object, and assigned whole`() throws {
    let folder = TemporaryStore([ListOf<Int>.self])
    let store = try folder.open()
    let holder = ListOf<Int>(value: ["elements": Array(0..<3000)])
    try store.write {
      store.add(holder)
      #expect(holder.elements.elementsEqual(0..<3000))
      holder.elements = List(3000..<6000)
      holder.elements.replaceSubrange(1000..<2000, with: [])
    }
    let other = try #require(try folder.open().objects(ListOf<Int>.self).first)
    #expect(other.elements.elementsEqual(Array(3000..<4000) + Array(5000..<6000)))
  }
}
