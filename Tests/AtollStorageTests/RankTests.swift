import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `lists by rank` {
  /// Compares a reader's elements by index with those read at once.
  private func compare(_ store: TestStore, _ expected: [Int64], _ hint: String) throws {
    let list = store.path("items")
    let (file, page) = (store.file, store["Page"].id)
    let id = try store.page
    let all = try store.elements(list).map(\.value)
    #expect(all == expected.map { .scalar(.int($0)) }, "\(hint)")
    #expect(try file.elementCount(of: page, id: id, list: list) == expected.count, "\(hint)")
    let range = expected.count / 4..<expected.count / 2 + 1
    #expect(
      try file.elements(of: page, id: id, list: list, at: range).map(\.value)
        == Array(all[range.clamped(to: all.indices)]), "\(hint)")
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func `indices stay right through transactions, roll-backs and other writers`(
    seed: UInt64
  ) throws {
    let exchange = try Exchange()
    try exchange.start()
    let (a, b) = (exchange.a, exchange.b)
    let clock = a.clock
    let other = try StoreFile.open(
      a.path, options: StoreOptions(storeID: StoreID(high: 1, low: 1), wallClock: { clock.now }))
    defer { other.close() }
    var random = SeededGenerator(seed: seed)
    var expected: [Int64] = []
    for round in 0..<40 {
      let before = expected
      try a.file.beginWrite()
      for step in 0..<Int.random(in: 1...8, using: &random) {
        try edit(a, Int64(round * 100 + step), &expected, &random)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        a.file.rollback()
        expected = before
      } else {
        try a.file.commitWrite()
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try a.send(to: b)
        let list = b.path("items")
        try b.write { b in
          try b.file.listInsert(b["Page"].id, id: b.page, list: list, at: 0, 77)
        }
        try b.send(to: a)
        expected.insert(77, at: 0)
      case 1:
        try other.beginWrite()
        try other.listInsert(
          a["Page"].id, id: a.page, list: a.path("items"), at: nil, 88)
        try other.commitWrite()
        expected.append(88)
      case _: break
      }
      try compare(a, expected, "seed \(seed), round \(round)")
    }
    _ = try exchange.meet()
    try compare(b, expected, "seed \(seed), on b")
  }

  private func edit(
    _ store: TestStore, _ number: Int64, _ expected: inout [Int64],
    _ random: inout SeededGenerator
  ) throws {
    let (file, page, id, list) = (
      store.file, store["Page"].id, try store.page, store.path("items")
    )
    let value = NewValue.scalar(.int(number))
    let count = expected.count
    let index = Int.random(in: 0..<max(count, 1), using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0...1:
      try file.listInsert(page, id: id, list: list, at: nil, value)
      expected.append(number)
    case 2...3:
      let index = min(index, count)
      try file.listInsert(page, id: id, list: list, at: index, value)
      expected.insert(number, at: index)
    case 4:
      try file.listInsert(
        page, id: id, list: list, at: count / 2, contentsOf: [value, value, value])
      expected.insert(contentsOf: [number, number, number], at: count / 2)
    case 5 where count > 0:
      try file.listAssign(page, id: id, list: list, at: index, value)
      expected[index] = number
    case 6 where count > 0:
      try file.listRemove(page, id: id, list: list, at: index)
      expected.remove(at: index)
    case 7 where count > 0:
      let target = Int.random(in: 0..<count, using: &random)
      try file.listMove(page, id: id, list: list, from: index, to: target)
      expected.insert(expected.remove(at: index), at: target)
    case 8 where Int.random(in: 0..<6, using: &random) == 0:
      try file.listClear(page, id: id, list: list)
      expected = []
    case _: break
    }
  }

  @Test func `an index outside the list is refused, with the list's length`() throws {
    let exchange = try Exchange()
    try exchange.start()
    try exchange.a.write { a in
      let (page, id, list) = (a["Page"].id, try a.page, a.path("items"))
      try a.append(1, to: list)
      #expect(throws: StorageError.self) {
        try a.file.listInsert(page, id: id, list: list, at: 2, 5)
      }
      #expect(throws: StorageError.self) {
        try a.file.listInsert(page, id: id, list: list, at: -1, 5)
      }
      #expect(throws: StorageError.self) {
        try a.file.listAssign(page, id: id, list: list, at: 1, 5)
      }
      #expect(throws: StorageError.self) {
        try a.file.listRemove(page, id: id, list: list, at: -1)
      }
      #expect(throws: StorageError.self) {
        try a.file.listMove(page, id: id, list: list, from: 0, to: 1)
      }
      #expect(try a.file.elements(of: page, id: id, list: list, at: 5..<9).isEmpty)
    }
    #expect(try exchange.meet() == #"{"items":[1]}"#)
  }

  @Test func `elements of embedded objects are read, assigned, moved and removed as rows`() throws {
    let exchange = try Exchange()
    try exchange.start { a in
      [
        NewField(
          a.property("Page", "list")[0],
          .list([a.spot(["v": 0]), a.spot(["v": 1]), a.spot(["v": 2, "marks": .list(["m"])])]))
      ]
    }
    let (a, b) = (exchange.a, exchange.b)
    try a.write(at: 1_000_010) { a in
      try a.file.listMove(a["Page"].id, id: a.page, list: a.path("list"), from: 0, to: 2)
      try a.file.listAssign(
        a["Page"].id, id: a.page, list: a.path("list"), at: 0,
        a.spot(["v": 10, "link": try a.target("T1"), "flags": .set([4])]))
    }
    try b.write(at: 1_000_020) { b in
      let elements = try b.elements(b.path("list"))
      try b.file.assign(
        b["Page"].id, id: b.page, b.path(in: "list", elements[0].id, "v"), 5)
      try b.file.listRemove(b["Page"].id, id: b.page, list: b.path("list"), at: 2)
    }
    #expect(
      try exchange.meet()
        == #"{"list":[{"flags":[4],"link":{"class":"Target","key":"T1"},"v":10},{"v":5}]}"#)
    let layout = try b.file.storedClass(b["Spot"].id).columns
    let link = try #require(layout.firstIndex { $0.path == ["link"] })
    guard case .link(_, let target) = try b.target("T1"),
      case .embedded(let columns)? = try b.elements(b.path("list")).first?.value
    else {
      Issue.record("the first element is no embedded object")
      return
    }
    #expect(columns[link] == .int(target.rawValue))
  }
}
