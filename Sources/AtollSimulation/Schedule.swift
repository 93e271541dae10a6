import AtollVocabulary
import HeapModule

/// The planned events, earliest first; of two at one instant the one that was scheduled first.
struct Schedule<Item> {
  private struct Entry: Comparable {
    var instant: Instant
    /// No two entries of a schedule have the same.
    var order: UInt64
    var item: Item

    static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
    static func < (a: Entry, b: Entry) -> Bool { (a.instant, a.order) < (b.instant, b.order) }
  }

  private var entries = Heap<Entry>()
  private var count: UInt64 = 0

  mutating func add(_ item: Item, at instant: Instant) {
    entries.insert(Entry(instant: instant, order: count, item: item))
    count += 1
  }

  mutating func next() -> (Instant, Item)? {
    entries.popMin().map { ($0.instant, $0.item) }
  }
}
