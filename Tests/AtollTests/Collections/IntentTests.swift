import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct ListIntentTests {
  let folder: TemporaryStore
  let store: Store
  let list: List<Int>

  init() throws {
    folder = TemporaryStore([ListOf<Int>.self])
    store = try folder.open()
    let holder = ListOf<Int>(value: ["elements": [0, 1, 2, 3, 4, 5]])
    let opened = store
    try opened.write { opened.add(holder) }
    list = holder.elements
  }

  /// Returns the recorded form of a change, and the resulting list.
  private func recorded(_ body: () -> Void) throws -> ([String], [Int]) {
    try store.write { body() }
    return (try folder.lastVerbs(), Array(list))
  }

  @Test func `swapping is two moves`() throws {
    let (verbs, left) = try recorded { list.swapAt(4, 1) }
    #expect(verbs == ["move", "move"])
    #expect(left == [0, 4, 2, 3, 1, 5])
  }

  @Test func `swapping neighbours, or an element with itself, is no more than needed`() throws {
    let (verbs, left) = try recorded {
      list.swapAt(2, 2)
      list.swapAt(0, 1)
    }
    #expect(verbs == ["move"])
    #expect(left == [1, 0, 2, 3, 4, 5])
  }

  @Test func `replacing a range leaves what it begins and ends with alone`() throws {
    let (verbs, left) = try recorded { list.replaceSubrange(1..<5, with: [1, 20, 30, 40, 4]) }
    #expect(verbs == ["remove", "remove", "insert", "insert", "insert"])
    #expect(left == [0, 1, 20, 30, 40, 4, 5])
  }

  @Test func `replacing a range by what it holds is nothing`() throws {
    let (verbs, left) = try recorded {
      list.replaceSubrange(1..<3, with: [1, 2])
      list[0..<3] = list[0..<3]
      list.append(6)
    }
    #expect(verbs == ["insert"])
    #expect(left == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test func `appending in bulk is an insertion for each element`() throws {
    let (verbs, left) = try recorded { list.append(objectsIn: [6, 7, 8]) }
    #expect(verbs == ["insert", "insert", "insert"])
    #expect(left == [0, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func `setting an element is an assignment, whatever way it is set`() throws {
    let (verbs, left) = try recorded {
      list[1] = 10
      list.replace(index: 2, object: 20)
    }
    #expect(verbs == ["assign", "assign"])
    #expect(left == [0, 10, 20, 3, 4, 5])
  }

  @Test func `removing by condition, range or offsets is a removal for each element`() throws {
    let (verbs, left) = try recorded {
      list.removeAll { $0 == 0 || $0 == 5 }
      list.removeSubrange(1...1)
      list.remove(atOffsets: IndexSet([0, 2]))
    }
    #expect(verbs == Array(repeating: "remove", count: 5))
    #expect(left == [3])
  }

  @Test func `moving by offsets is a move for each element that leaves its place`() throws {
    let (verbs, left) = try recorded { list.move(fromOffsets: IndexSet([0, 1]), toOffset: 4) }
    #expect(verbs == ["move", "move"])
    #expect(left == [2, 3, 0, 1, 4, 5])
  }

  @Test func `moving by offsets to where the elements are is nothing`() throws {
    let (verbs, left) = try recorded {
      list.move(fromOffsets: IndexSet([0, 1]), toOffset: 0)
      list.move(fromOffsets: IndexSet([4, 5]), toOffset: 6)
      list.move(from: 3, to: 3)
      list.append(6)
    }
    #expect(verbs == ["insert"])
    #expect(left == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test func `removing everything is a clear, and assigning the property a clear and insertions`()
    throws
  {
    let (cleared, left) = try recorded { list.removeAll() }
    #expect(cleared == ["clear"])
    #expect(left.isEmpty)
    let (assigned, new) = try recorded {
      store.objects(ListOf<Int>.self)[0].elements = List([7, 8])
    }
    #expect(assigned == ["insert", "insert"])
    #expect(new == [7, 8])
    let (again, last) = try recorded {
      store.objects(ListOf<Int>.self)[0].elements = List([9])
    }
    #expect(again == ["clear", "insert"])
    #expect(last == [9])
  }
}
