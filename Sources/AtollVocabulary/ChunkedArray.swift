/// An array in chunks, so that inserting in the middle moves a chunk and not the whole.
///
/// Reading an index costs a binary search over the chunks; inserting and removing cost one chunk at
/// most and an addition for each chunk after it: a thousand for a million elements. A copy shares
/// every chunk that is not changed, which is what iteration over a snapshot needs.
///
/// A binary indexed tree over the counts instead of `starts` makes an insertion into a million
/// elements 0.3 µs faster, and each reading of an index half as fast.
///
/// Public, though in no interface of the library: of a `package` type the compiler specializes nothing for
/// another module, and reading an index would take three times as long.
@_documentation(visibility: internal)
public struct ChunkedArray<Element> {
  /// None is empty, and none longer than ``chunkLimit``.
  @usableFromInline var chunks: [[Element]] = []
  /// The index of the first element of each chunk.
  @usableFromInline var starts: [Int] = []
  @usableFromInline var total = 0

  @usableFromInline static var chunkLimit: Int { 1024 }

  @inlinable public init() {}

  /// Chunks are half full at first: elements that are inserted find room.
  @inlinable public init(_ elements: some Sequence<Element>) {
    let elements = Array(elements)
    chunks.reserveCapacity(2 * elements.count / Self.chunkLimit + 1)
    starts.reserveCapacity(2 * elements.count / Self.chunkLimit + 1)
    for start in stride(from: 0, to: elements.count, by: Self.chunkLimit / 2) {
      let end = Swift.min(start + Self.chunkLimit / 2, elements.count)
      chunks.append(Array(elements[start..<end]))
      starts.append(start)
    }
    total = elements.count
  }

  @inlinable public var count: Int { total }

  /// Fills the last chunk, so that what grows at its end is packed.
  @inlinable public mutating func append(_ element: Element) {
    if chunks.isEmpty || chunks[chunks.count - 1].count == Self.chunkLimit {
      chunks.append([])
      starts.append(count)
    }
    chunks[chunks.count - 1].append(element)
    total += 1
  }

  @inlinable public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts before the element at `index`, or at the end; `0 <= index <= count`.
  @inlinable public mutating func insert(_ element: Element, at index: Int) {
    if index == count { return append(element) }
    let (chunk, offset) = place(of: index)
    chunks[chunk].insert(element, at: offset)
    shift(after: chunk, by: 1)
    if chunks[chunk].count > Self.chunkLimit { split(chunk) }
  }

  @inlinable public mutating func insert(
    contentsOf elements: some Sequence<Element>, at index: Int
  ) {
    for (offset, element) in elements.enumerated() { insert(element, at: index + offset) }
  }

  /// Takes out the element at `index`; `0 <= index < count`.
  @inlinable @discardableResult
  public mutating func remove(at index: Int) -> Element {
    let (chunk, offset) = place(of: index)
    let element = chunks[chunk].remove(at: offset)
    shift(after: chunk, by: -1)
    if chunks[chunk].isEmpty {
      chunks.remove(at: chunk)
      starts.remove(at: chunk)
    }
    return element
  }

  @inlinable public mutating func removeAll() { self = ChunkedArray() }

  @inlinable func place(of index: Int) -> (chunk: Int, offset: Int) {
    var low = 0
    var high = chunks.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return (low, index - starts[low])
  }

  // Without checks for overflow, so that the compiler adds several at once.
  @inlinable mutating func shift(after chunk: Int, by amount: Int) {
    total += amount
    starts.withUnsafeMutableBufferPointer { starts in
      for later in chunk + 1..<starts.count { starts[later] &+= amount }
    }
  }

  @inlinable mutating func split(_ chunk: Int) {
    let half = chunks[chunk].count / 2
    chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
    starts.insert(starts[chunk] + half, at: chunk + 1)
  }
}

extension ChunkedArray {
  /// The elements of a range inside `0..<count`, copied chunk by chunk.
  @inlinable public func elements(in range: Range<Int>) -> [Element] {
    guard !range.isEmpty else { return [] }
    var (chunk, offset) = place(of: range.lowerBound)
    var elements: [Element] = []
    elements.reserveCapacity(range.count)
    while elements.count < range.count {
      let end = Swift.min(chunks[chunk].count, offset + range.count - elements.count)
      elements += chunks[chunk][offset..<end]
      (chunk, offset) = (chunk + 1, 0)
    }
    return elements
  }

  /// The indices of the elements that satisfy a condition, ascending; many times as fast as iteration.
  @inlinable @inline(__always)
  public func indices(where isSought: (Element) -> Bool) -> [Int] {
    var found: [Int] = []
    for (chunk, start) in zip(chunks, starts) {
      chunk.withUnsafeBufferPointer { elements in
        for offset in elements.indices where isSought(elements[offset]) {
          found.append(start + offset)
        }
      }
    }
    return found
  }
}

extension ChunkedArray: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { count }

  @inlinable public subscript(index: Int) -> Element {
    get {
      let (chunk, offset) = place(of: index)
      return chunks[chunk][offset]
    }
    set {
      let (chunk, offset) = place(of: index)
      chunks[chunk][offset] = newValue
    }
  }

  @inlinable public func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
    chunks.joined().makeIterator()
  }
}
