/// Numbers in an order of their own, found, put in and taken out by rank.
///
/// Runs of at most ``runLength`` numbers, and the counts of the runs in a binary indexed tree: a
/// rank is found in the logarithm of the number of runs, and what is shifted is never more than one
/// run. The tree is built again when a run is split or used up, once in hundreds of changes.
struct RankedSequence {
  /// Numbers in a run when it is split into two.
  private static let runLength = 1024

  private var runs: [[Int64]] = []
  /// The binary indexed tree over the counts of ``runs``, from 1.
  private var tree: [Int] = [0]
  private(set) var count = 0

  init(_ numbers: [Int64]) {
    count = numbers.count
    var start = 0
    while start < numbers.count {
      let end = min(start + Self.runLength / 2, numbers.count)
      runs.append(Array(numbers[start..<end]))
      start = end
    }
    buildTree()
  }

  /// The number at a rank below ``count``.
  subscript(rank: Int) -> Int64 {
    let (run, offset) = place(of: rank)
    return runs[run][offset]
  }

  /// Numbers of the ranks in a range inside `0..<count`.
  subscript(range: Range<Int>) -> [Int64] {
    guard !range.isEmpty else { return [] }
    var (run, offset) = place(of: range.lowerBound)
    var numbers: [Int64] = []
    numbers.reserveCapacity(range.count)
    while numbers.count < range.count {
      let end = min(runs[run].count, offset + range.count - numbers.count)
      numbers += runs[run][offset..<end]
      run += 1
      offset = 0
    }
    return numbers
  }

  /// Puts a number before the one at `rank`, or at the end if that is ``count``.
  mutating func insert(_ number: Int64, at rank: Int) {
    count += 1
    guard !runs.isEmpty else {
      runs = [[number]]
      return buildTree()
    }
    let (run, offset) =
      rank == count - 1 ? (runs.count - 1, runs[runs.count - 1].count) : place(of: rank)
    runs[run].insert(number, at: offset)
    if runs[run].count > Self.runLength {
      split(run, isAtEnd: offset == runs[run].count - 1)
    } else {
      add(1, to: run)
    }
  }

  /// Takes the number at a rank out and returns it.
  @discardableResult
  mutating func remove(at rank: Int) -> Int64 {
    let (run, offset) = place(of: rank)
    count -= 1
    let number = runs[run].remove(at: offset)
    if runs[run].isEmpty {
      runs.remove(at: run)
      buildTree()
    } else {
      add(-1, to: run)
    }
    return number
  }

  // MARK: Runs

  /// Makes two runs of one; a run that grew at its end stays full, so that appending packs them.
  private mutating func split(_ run: Int, isAtEnd: Bool) {
    let middle = isAtEnd ? runs[run].count - 1 : runs[run].count / 2
    let second = Array(runs[run][middle...])
    runs[run].removeSubrange(middle...)
    runs.insert(second, at: run + 1)
    buildTree()
  }

  private func place(of rank: Int) -> (run: Int, offset: Int) {
    var rest = rank
    var node = 0
    var step = Self.highestPower(atMost: runs.count)
    while step > 0 {
      let next = node + step
      if next < tree.count, tree[next] <= rest {
        node = next
        rest -= tree[next]
      }
      step /= 2
    }
    return (node, rest)
  }

  private mutating func add(_ difference: Int, to run: Int) {
    var node = run + 1
    while node < tree.count {
      tree[node] += difference
      node += node & -node
    }
  }

  private mutating func buildTree() {
    tree = [0] + runs.map(\.count)
    for node in tree.indices.dropFirst() {
      let parent = node + node & -node
      if parent < tree.count { tree[parent] += tree[node] }
    }
  }

  private static func highestPower(atMost count: Int) -> Int {
    count == 0 ? 0 : 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
  }
}
