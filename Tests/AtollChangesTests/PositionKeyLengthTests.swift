import AtollChanges
import AtollVocabulary
import TestKit
import Testing

/// The length of keys, against the figures by which the layout was chosen.
///
/// Found over a few seeds: random inserts take 16 bytes on average and 25 at most by one author, 49
/// and 86 by three; after 100,000 it is 17 and 25, 54 and 98. The bounds leave room for other seeds
/// and none for growth by the number of elements.
@Suite struct PositionKeyLengthTests {
  private let names = (1...3).map { PositionName(Samples.author($0)) }

  private struct Lengths {
    var count = 0
    var sum = 0
    var longest = 0

    mutating func add(_ key: PositionKey) {
      count += 1
      sum += key.bytes.count
      longest = max(longest, key.bytes.count)
    }

    /// The mean, rounded to the nearest.
    var mean: Int { (sum + count / 2) / count }
  }

  @Test func `100,000 appends take 13 bytes on average and at most`() {
    var (lengths, last) = (Lengths(), PositionKey?.none)
    for _ in 0..<100_000 {
      let key = PositionKey.between(last, nil, name: names[0])
      lengths.add(key)
      last = key
    }
    #expect(lengths.mean == 13 && lengths.longest == 13)
  }

  @Test func `100,000 prepends take 13 bytes on average and at most`() {
    var (lengths, first) = (Lengths(), PositionKey?.none)
    for _ in 0..<100_000 {
      let key = PositionKey.between(nil, first, name: names[0])
      lengths.add(key)
      first = key
    }
    #expect(lengths.mean == 13 && lengths.longest == 13)
  }

  @Test(arguments: [(authors: 1, mean: 18, longest: 32), (authors: 3, mean: 60, longest: 130)])
  func `10,000 random inserts stay as short as they were found to be`(
    authors: Int, mean: Int, longest: Int
  ) {
    let lengths = randomInserts(10_000, by: authors)
    #expect(lengths.mean <= mean && lengths.longest <= longest, "\(lengths)")
  }

  @Test(arguments: [(authors: 1, mean: 19, longest: 36), (authors: 3, mean: 66, longest: 150)])
  func `100,000 random inserts grow by the logarithm`(authors: Int, mean: Int, longest: Int) {
    let lengths = randomInserts(100_000, by: authors)
    #expect(lengths.mean <= mean && lengths.longest <= longest, "\(lengths)")
  }

  private func randomInserts(_ count: Int, by authors: Int) -> Lengths {
    var random = SeededRandom.announced("key lengths of \(authors)")
    var lengths = Lengths()
    var keys: [PositionKey] = []
    keys.reserveCapacity(count)
    for _ in 0..<count {
      let place = random.below(keys.count + 1)
      let key = PositionKey.between(
        place > 0 ? keys[place - 1] : nil, place < keys.count ? keys[place] : nil,
        name: names[random.below(authors)])
      lengths.add(key)
      keys.insert(key, at: place)
    }
    return lengths
  }

  @Test(arguments: [(authors: 1, mean: 22, longest: 44), (authors: 3, mean: 90, longest: 200)])
  func `10,000 random moves among 100 elements do not make keys grow without end`(
    authors: Int, mean: Int, longest: Int
  ) {
    var random = SeededRandom.announced("moves of \(authors)")
    // The common part of neighbours is as long as chance has it; of eight lists little of that is
    // left.
    let lists = (0..<8).map { _ in afterMoves(by: authors, &random) }
    let sum = lists.reduce(0) { $0 + $1.mean }
    let longestSum = lists.reduce(0) { $0 + $1.longest }
    #expect(sum <= mean * lists.count && longestSum <= longest * lists.count, "\(lists)")
  }

  private func afterMoves(by authors: Int, _ random: inout SeededRandom) -> Lengths {
    var keys: [PositionKey] = []
    for _ in 0..<100 { keys.append(.between(keys.last, nil, name: names[0])) }
    for _ in 0..<10_000 {
      keys.remove(at: random.below(keys.count))
      let place = random.below(keys.count + 1)
      let key = PositionKey.between(
        place > 0 ? keys[place - 1] : nil, place < keys.count ? keys[place] : nil,
        name: names[random.below(authors)])
      keys.insert(key, at: place)
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    var lengths = Lengths()
    for key in keys { lengths.add(key) }
    return lengths
  }
}
