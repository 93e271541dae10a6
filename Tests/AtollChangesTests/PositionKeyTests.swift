import AtollChanges
import AtollVocabulary
import TestKit
import Testing

@Suite struct PositionKeyTests {
  private let a = Samples.author(1)
  private let b = Samples.author(2)
  private let c = Samples.author(3)

  private func run(
    _ count: Int, by author: Author, after left: PositionKey?, before right: PositionKey?
  ) -> [PositionKey] {
    var keys: [PositionKey] = []
    for _ in 0..<count { keys.append(.between(keys.last ?? left, right, author: author)) }
    return keys
  }

  private func runBackwards(
    _ count: Int, by author: Author, after left: PositionKey?, before right: PositionKey?
  ) -> [PositionKey] {
    var keys: [PositionKey] = []
    for _ in 0..<count { keys.append(.between(left, keys.last ?? right, author: author)) }
    return keys.reversed()
  }

  private func changesOfOwner(_ runs: [[PositionKey]]) -> Int {
    let all = runs.enumerated().flatMap { owner, keys in keys.map { (key: $0, owner: owner) } }
      .sorted { $0.key < $1.key }
    return zip(all, all.dropFirst()).count { $0.owner != $1.owner }
  }

  // MARK: Order

  @Test func `5,000 random inserts by three authors stay sorted and apart`() {
    var random = SeededRandom.announced("dense order")
    let names = [a, b, c].map(PositionName.init)
    var keys: [PositionKey] = []
    for round in 0..<5_000 {
      let place = random.below(keys.count + 1)
      let left = place > 0 ? keys[place - 1] : nil
      let right = place < keys.count ? keys[place] : nil
      let key = PositionKey.between(left, right, name: names[random.below(3)])
      let isBetween = (left.map { $0 < key } ?? true) && (right.map { key < $0 } ?? true)
      #expect(isBetween && key.isWellFormed, "seed \(random.seed), round \(round)")
      guard isBetween else { return }
      keys.insert(key, at: place)
    }
  }

  @Test func `a run gives the keys that its elements get when they are inserted one by one`() {
    var random = SeededRandom.announced("runs")
    let names = [a, b, c].map(PositionName.init)
    var keys: [PositionKey] = []
    for round in 0..<300 {
      let place = random.below(keys.count + 1)
      let left = place > 0 ? keys[place - 1] : nil
      let right = place < keys.count && random.chance(1, of: 2) ? keys[place] : nil
      let name = names[random.below(3)]
      var run = PositionRun(left, right, name: name)
      var last = left
      for step in 0..<(1 + random.below(200)) {
        let key = PositionKey.between(last, right, name: name)
        #expect(run.next() == key, "seed \(random.seed), round \(round), step \(step)")
        last = key
      }
      if let last, right != nil || place == keys.count { keys.insert(last, at: place) }
    }
  }

  @Test func `1,000 nested inserts at one spot stay sorted and apart`() {
    var random = SeededRandom.announced("nesting")
    var (left, right) = (PositionKey?.none, PositionKey?.none)
    for round in 0..<1_000 {
      let key = PositionKey.between(left, right, author: Samples.author(UInt64(random.below(3))))
      let isBetween = (left.map { $0 < key } ?? true) && (right.map { key < $0 } ?? true)
      #expect(isBetween && key.isWellFormed, "seed \(random.seed), round \(round)")
      if random.chance(1, of: 2) { left = key } else { right = key }
    }
  }

  @Test func `more than 254 authors nest in one path`() {
    var (left, right) = (PositionKey?.none, PositionKey?.none)
    for round in 0..<600 {
      let key = PositionKey.between(left, right, author: Samples.author(UInt64(round % 300)))
      #expect(key.isWellFormed && left.map { $0 < key } ?? true && right.map { key < $0 } ?? true)
      if round.isMultiple(of: 2) { left = key } else { right = key }
    }
  }

  @Test func `two authors never make the same key in one gap`() {
    let first = PositionKey.between(nil, nil, author: a)
    #expect(PositionKey.between(first, nil, author: b) != .between(first, nil, author: c))
    #expect(PositionKey.between(nil, first, author: b) != .between(nil, first, author: c))
  }

  // MARK: Runs

  @Test(arguments: [false, true])
  func `scenario 18 three runs typed forwards into one gap do not interleave`(isEmpty: Bool) {
    let left = isEmpty ? nil : PositionKey.between(nil, nil, author: c)
    let right = left.map { PositionKey.between($0, nil, author: c) }
    let runs = [a, b, c].map { run(500, by: $0, after: left, before: right) }
    #expect(changesOfOwner(runs) == 2)
  }

  @Test(arguments: [false, true])
  func `scenario 18 three runs typed backwards into one gap do not interleave`(isEmpty: Bool) {
    let left = isEmpty ? nil : PositionKey.between(nil, nil, author: c)
    let right = left.map { PositionKey.between($0, nil, author: c) }
    let runs = [a, b, c].map { runBackwards(500, by: $0, after: left, before: right) }
    #expect(changesOfOwner(runs) == 2)
  }

  @Test func `a run typed forwards and one typed backwards do not interleave`() {
    let left = PositionKey.between(nil, nil, author: c)
    let right = PositionKey.between(left, nil, author: b)
    let runs = [
      run(500, by: a, after: left, before: right),
      runBackwards(500, by: b, after: left, before: right),
    ]
    #expect(changesOfOwner(runs) == 1)
  }

  @Test func `a run whose first elements were removed is not split by a concurrent one`() {
    let mine = run(10, by: a, after: nil, before: nil)
    let theirs = run(10, by: b, after: nil, before: nil)
    let more = run(10, by: a, after: mine[4], before: mine[5])
    #expect(changesOfOwner([mine + more, theirs]) == 1)
  }

  // MARK: Length

  @Test func `10,000 appends or prepends take 12 bytes on average and 13 at most`() {
    for keys in [
      run(10_000, by: a, after: nil, before: nil),
      runBackwards(10_000, by: a, after: nil, before: nil),
    ] {
      let lengths = keys.map(\.bytes.count)
      #expect(lengths.max() == 13)
      #expect(lengths.reduce(0, +) / lengths.count == 12)
    }
  }

  @Test func `three concurrent runs of 10,000 in one gap take 24 bytes at most`() {
    let left = PositionKey.between(nil, nil, author: c)
    let right = PositionKey.between(left, nil, author: c)
    let runs = [a, b, Samples.author(9)].map { run(10_000, by: $0, after: left, before: right) }
    #expect(runs.joined().map(\.bytes.count).max() ?? 0 <= 24)
    #expect(changesOfOwner(runs) == 2)
  }

  @Test func `nested inserts by one author at one spot grow by 3 bytes at most`() {
    var (left, right) = (PositionKey?.none, PositionKey?.none)
    var length = 0
    for round in 0..<1_000 {
      let key = PositionKey.between(left, right, author: a)
      if round > 0 { #expect(key.bytes.count <= length + 3) }
      length = key.bytes.count
      if round.isMultiple(of: 2) { left = key } else { right = key }
    }
  }

  @Test(arguments: [1, 2, 3])
  func `nested inserts at one alternating spot grow by 3 bytes at most, whoever takes turns`(
    authors: Int
  ) {
    var (left, right) = (PositionKey?.none, PositionKey?.none)
    var (length, longest, named) = (0, 0, 0)
    for round in 0..<600 {
      let key = PositionKey.between(left, right, author: [a, b, c][round % authors])
      // The first keys of each author carry its name in full.
      if round > authors { longest = max(longest, key.bytes.count - length) }
      length = key.bytes.count
      if round == authors { named = length }
      if round.isMultiple(of: 2) { left = key } else { right = key }
    }
    #expect(longest <= 3)
    #expect(length - named <= 3 * (600 - authors))
    print("alternating by \(authors): \(length) bytes after 600 inserts, \(longest) at most each")
  }

  // MARK: Foreign bytes

  @Test func `keys that are not paths are recognised`() {
    let first = PositionKey.between(nil, nil, author: a)
    let good = PositionKey.between(first, nil, author: b)
    #expect(good.isWellFormed)
    for count in good.bytes.indices where count != first.bytes.count {
      #expect(!PositionKey(bytes: Array(good.bytes[..<count])).isWellFormed)
    }
    for text in ["01", "0101", "000101", "018001", "ff0102030405060708" + "01"] {
      #expect(!PositionKey(bytes: Hexadecimal.bytes(text) ?? []).isWellFormed, "\(text)")
    }
  }

  @Test func `neighbours at the ends of what a fraction can hold still leave room`() throws {
    let head: [UInt8] = PositionKey.between(nil, nil, author: a).bytes.dropLast(2)
    let greatest = PositionKey(bytes: head + [0xF0] + Array(repeating: 0xFF, count: 7) + [0x01])
    let least = PositionKey(bytes: head + [0x0F] + Array(repeating: 0x00, count: 7) + [0x01])
    #expect(greatest.isWellFormed && least.isWellFormed)
    let above = PositionKey.between(greatest, nil, author: a)
    let below = PositionKey.between(nil, least, author: a)
    #expect(greatest < above && below < least)
    #expect(above.isWellFormed && below.isWellFormed)
  }

  @Test func `10,000 pairs of random bytes never trap`() {
    var random = SeededRandom.announced("position garbage")
    func key() -> PositionKey {
      var bytes = random.position().bytes
      for _ in 0..<random.below(3) {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      return PositionKey(bytes: Array(bytes.prefix(random.below(bytes.count + 1))))
    }
    for _ in 0..<10_000 {
      let made = PositionKey.between(key(), random.chance(1, of: 3) ? nil : key(), author: a)
      #expect(!made.bytes.isEmpty, "seed \(random.seed)")
    }
  }
}
