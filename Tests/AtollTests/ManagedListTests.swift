import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct ManagedListTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([Holder.self, Country.self])
    store = try folder.open()
  }

  @Test func `a list is kept in the file, in order`() throws {
    try store.write {
      let holder = Holder()
      holder.numbers.append(contentsOf: [1, 2, 3])
      store.add(holder)
      holder.numbers.insert(0, at: 0)
      holder.numbers[1] = 10
      holder.numbers.remove(at: 2)
      holder.numbers.append(4)
      holder.numbers.move(from: 0, to: 3)
    }
    let again = try folder.open()
    #expect(again.objects(Holder.self).first.map { Array($0.numbers) } == [10, 3, 4, 0])
  }

  @Test func `the list an object had before it was added is the one it has after`() throws {
    let holder = Holder()
    let list = holder.numbers
    list.append(1)
    try store.write {
      store.add(holder)
      list.append(2)
    }
    #expect(holder.numbers === list)
    #expect(list.store === store)
    #expect(Array(list) == [1, 2])
  }

  @Test func `two handles of a list see each other's changes`() throws {
    try store.write { store.create(Holder.self, value: ["numbers": [1, 2]]) }
    let holders = [store.objects(Holder.self)[0], store.objects(Holder.self)[0]]
    #expect(holders[0].numbers == holders[1].numbers)
    try store.write {
      #expect(holders[0].numbers.count == 2)
      holders[1].numbers.append(3)
      #expect(Array(holders[0].numbers) == [1, 2, 3])
      holders[0].numbers.removeAll()
      #expect(holders[1].numbers.isEmpty)
    }
  }

  @Test func `a list of objects adds those that are new, and drops those that are deleted`() throws
  {
    try store.write {
      let holder = store.create(Holder.self)
      holder.countries.append(objectsIn: [Country(value: ["CH"]), Country(value: ["FR"])])
      #expect(holder.countries.map(\.code) == ["CH", "FR"])
      store.delete(holder.countries[0])
      #expect(holder.countries.map(\.code) == ["FR"])
    }
    #expect(store.objects(Country.self).count == 1)
  }

  @Test func `rule 38: assigning a managed list copies the elements`() throws {
    try store.write {
      let holder = store.create(Holder.self, value: ["numbers": [1]])
      let list = holder.numbers
      holder.numbers = List([7, 8])
      #expect(list === holder.numbers)
      #expect(Array(list) == [7, 8])
    }
  }

  @Test func `rule 34: an unconvertible stored element stops, and is nil among optionals`() throws {
    try store.write {
      let holder = store.create(Holder.self, value: ["even": [1, 2], "required": [2]])
      #expect(Array(holder.even) == [nil, Even(2)])
      #expect(Array(holder.required) == [Even(2)])
    }
  }

  @Test func `a list does what an array does, through commits and cancelled transactions`() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var random = SeededGenerator(seed: seed)
    try store.write { store.create(Holder.self) }
    let handles = [store.objects(Holder.self)[0].numbers, store.objects(Holder.self)[0].numbers]
    var model: [Int] = []
    for _ in 0..<40 {
      var changed = model
      try store.beginWrite()
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        Self.change(handles[Int.random(in: 0...1, using: &random)], &changed, &random)
        #expect(Array(handles[0]) == changed, "seed \(seed)")
      }
      if Bool.random(using: &random) {
        try store.commitWrite()
        model = changed
      } else {
        store.cancelWrite()
      }
      #expect(Array(handles[1]) == model, "seed \(seed)")
    }
    let other = try folder.open()
    #expect(other.objects(Holder.self).first.map { Array($0.numbers) } == model, "seed \(seed)")
  }

  /// Makes one random change to both.
  private static func change(
    _ list: List<Int>, _ array: inout [Int], _ random: inout SeededGenerator
  ) {
    let value = Int.random(in: 0..<1000, using: &random)
    guard let place = array.indices.randomElement(using: &random) else {
      list.append(value)
      array.append(value)
      return
    }
    switch Int.random(in: 0...6, using: &random) {
    case 0:
      list.remove(at: place)
      array.remove(at: place)
    case 1:
      list[place] = value
      array[place] = value
    case 2:
      let target = Int.random(in: array.indices, using: &random)
      list.move(from: place, to: target)
      array.insert(array.remove(at: place), at: target)
    case 3 where array.count > 6:
      list.removeAll()
      array.removeAll()
    default:
      list.insert(value, at: place)
      array.insert(value, at: place)
    }
  }

  @Test func `changing a list outside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Holder.self, Country.self])
      let store = try folder.open()
      let holder = try store.write { store.create(Holder.self) }
      holder.numbers.append(1)
    }
    #expect(said(result, "the list 'Holder.numbers' outside a write transaction."))
  }
}
