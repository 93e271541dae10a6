import Atoll
import Testing

@Suite struct UnmanagedListTests {
  @Test func `a list keeps the order of appending, inserting, setting and removing`() {
    let list = List<Int>()
    list.append(contentsOf: [1, 2, 3])
    list.insert(0, at: 0)
    list[1] = 10
    list.remove(at: 2)
    list.move(from: 2, to: 0)
    #expect(Array(list) == [3, 0, 10])
    #expect(list.count == 3)
    #expect(list.last == 10)
  }

  @Test func `iteration runs over the elements there were when it began`() {
    let list = List([1, 2, 3])
    var seen: [Int] = []
    for element in list {
      seen.append(element)
      list.append(element)
    }
    #expect(seen == [1, 2, 3])
    #expect(list.count == 6)
  }

  @Test func `rule 38: assigning a list copies its elements into the list that is there`() {
    let holder = Holder()
    let before = holder.numbers
    holder.numbers = List([4, 5])
    #expect(holder.numbers === before)
    #expect(Array(before) == [4, 5])
  }

  @Test func `rule 34: elements go through the mapping`() {
    let holder = Holder()
    holder.wrapped.append(Wrapped(value: 3))
    holder.wrapped[0].value = 4
    #expect(holder.wrapped.contains(Wrapped(value: 4)))
    #expect(holder.wrapped.firstIndex(of: Wrapped(value: 4)) == 0)
  }

  @Test func `rule 34: an unconvertible element of a list of optionals is nil`() {
    let holder = Holder(value: ["even": [2, 3, 4]])
    #expect(Array(holder.even) == [Even(2), nil, Even(4)])
  }

  @Test func `lists are equal if they are one list, whatever they hold`() {
    let holder = Holder()
    #expect(holder.numbers == holder.numbers)
    #expect(List([1]) != List([1]))
  }
}

struct Even: FailableCustomPersistable, Hashable {
  var value: Int
  init?(_ value: Int) {
    if !value.isMultiple(of: 2) { return nil }
    self.value = value
  }
  init?(persistedValue: Int) { self.init(persistedValue) }
  var persistableValue: Int { value }
}

final class Holder: Object {
  @Persisted(.either) var numbers: List<Int>
  @Persisted(.either) var wrapped: List<Wrapped>
  @Persisted(.either) var even: List<Even?>
  @Persisted(.either) var required: List<Even>
  @Persisted(.either) var countries: List<Country>
}
