import Atoll
import Foundation
import Testing

@Suite struct UnmanagedSetTests {
  @Test func `rule 36: two mapped values with one persisted value are one element`() {
    let set = MutableSet<Uneven>()
    set.insert(Uneven(persistedValue: 1))
    set.insert(Uneven(persistedValue: 1))
    #expect(Uneven(persistedValue: 1) != Uneven(persistedValue: 1))
    #expect(set.count == 1)
    #expect(set.contains(Uneven(persistedValue: 1)))
  }

  @Test func `rule 36: NaN is one element, and −0.0 another than 0.0`() {
    let set = MutableSet([Double.nan, .nan, 0.0, -0.0])
    #expect(set.count == 3)
    #expect(set.contains(.nan))
  }

  @Test func `strings are told apart by their bytes`() {
    let set = MutableSet(["e\u{301}", "\u{e9}"])
    #expect(set.count == 2)
  }

  @Test func `objects are told apart by identity`() {
    let switzerland = Country(value: ["CH"])
    let set = MutableSet([switzerland, switzerland, Country(value: ["CH"])])
    #expect(set.count == 2)
    #expect(set.contains(switzerland))
    #expect(!set.contains(Country(value: ["CH"])))
    set.remove(switzerland)
    #expect(set.count == 1)
  }

  @Test func `iteration runs over the elements there were when it began`() {
    let set = MutableSet([1, 2, 3])
    var seen: [Int] = []
    for element in set {
      seen.append(element)
      set.insert(element + 10)
      set.remove(element)
    }
    #expect(seen.sorted() == [1, 2, 3])
    #expect(Set(set) == [11, 12, 13])
  }

  @Test func `rule 38: assigning a set copies its elements into the set that is there`() {
    let tags = Tags()
    let before = tags.words
    tags.words = MutableSet(["a", "b"])
    #expect(tags.words === before)
    #expect(Set(before) == ["a", "b"])
  }

  @Test func `rule 26: a set is made from an array, a set, and mapped or persisted values`() {
    #expect(Set(Tags(value: ["words": ["a", "b", "a"]]).words) == ["a", "b"])
    #expect(Set(Tags(value: ["words": Set(["a", "b"])]).words) == ["a", "b"])
    #expect(Set(Tags(value: ["boxes": [Box(1), 2]]).boxes) == [Box(1), Box(2)])
    #expect(Set(Tags(value: ["maybe": [1, NSNull()]]).maybe) == [1, nil])
    #expect(Set(Tags(value: Tags(value: ["words": ["c"]])).words) == ["c"])
  }

  @Test func `sets are equal if they are one set, whatever they hold`() {
    let tags = Tags()
    #expect(tags.words == tags.words)
    #expect(MutableSet([1]) != MutableSet([1]))
  }

  @Test func `rule 36: an unconvertible element of a required set stops when read`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SetOf<Even>(value: ["elements": [3]]).elements.first
    }
    #expect(said(result, "Could not convert value '3' to type 'Even'."))
  }

  @Test func `an index outside a set is refused with the number of elements`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableSet([1])[1]
    }
    #expect(said(result, "Index 1 is out of bounds of a set of 1 elements."))
  }
}

/// Never equal, not even to itself, whatever is stored.
struct Uneven: CustomPersistable, Hashable {
  var value: Int
  init(persistedValue: Int) { value = persistedValue }
  var persistableValue: Int { value }
  static func == (a: Uneven, b: Uneven) -> Bool { false }
}

final class Tags: Object {
  @Persisted(.either) var words: MutableSet<String>
  @Persisted(.either) var boxes: MutableSet<Box<Int>>
  @Persisted(.either) var maybe: MutableSet<Int?>
  @Persisted(.either) var countries: MutableSet<Country>
}
