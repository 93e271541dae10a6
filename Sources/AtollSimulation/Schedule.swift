import AtollVocabulary

/// What is to happen, earliest first; of two at one instant the one that was scheduled first.
struct Schedule<Item> {
  private struct Entry {
    var instant: Instant
    var order: UInt64
    var item: Item

    func precedes(_ other: Entry) -> Bool {
      (instant, order) < (other.instant, other.order)
    }
  }

  /// A binary heap: no entry precedes the one at half its index.
  private var heap: [Entry] = []
  private var count: UInt64 = 0

  mutating func add(_ item: Item, at instant: Instant) {
    heap.append(Entry(instant: instant, order: count, item: item))
    count += 1
    var index = heap.count - 1
    while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func next() -> (Instant, Item)? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while let child = earlierChild(of: index), heap[child].precedes(heap[index]) {
      heap.swapAt(index, child)
      index = child
    }
    return (first.instant, first.item)
  }

  private func earlierChild(of index: Int) -> Int? {
    let left = 2 * index + 1
    guard left < heap.count else { return nil }
    let right = left + 1
    return right < heap.count && heap[right].precedes(heap[left]) ? right : left
  }
}
