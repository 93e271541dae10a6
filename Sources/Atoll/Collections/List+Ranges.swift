public import Foundation

// The methods of `RangeReplaceableCollection`, each change recorded with its intent. The protocol
// itself is not adopted: its `filter` would make new lists where arrays are expected.
extension List: MutableCollection {
  /// A part of the list; a new one in its place is inserted as ``replaceSubrange(_:with:)`` does.
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get {
      checkBounds(bounds)
      return Slice(base: self, bounds: bounds)
    }
    set { replaceSubrange(bounds, with: newValue) }
  }

  /// Replaces the elements of a range; those that both begin or both end with stay what they are.
  public func replaceSubrange(
    _ range: some RangeExpression<Int>, with newElements: some Collection<Element>
  ) {
    let range = range.relative(to: self)
    checkBounds(range)
    let old = Array(snapshot.dropFirst(range.lowerBound).prefix(range.count))
    let new = stored(newElements)
    let (head, tail) = Self.common(old, new)
    for index in (range.lowerBound + head..<range.upperBound - tail).reversed() {
      remove(at: index)
    }
    let inserted = new[head..<new.count - tail]
    if !inserted.isEmpty { insert(inserted, at: range.lowerBound + head) }
  }

  /// Removes the elements of a range.
  public func removeSubrange(_ range: some RangeExpression<Int>) {
    let range = range.relative(to: self)
    checkBounds(range)
    for index in range.reversed() { remove(at: index) }
  }

  /// Removes the first elements.
  public func removeFirst(_ number: Int = 1) { removeSubrange(checked(0..<number, number)) }

  /// Removes the last elements.
  public func removeLast(_ number: Int = 1) {
    removeSubrange(checked(count - number..<count, number))
  }

  /// Removes every element; the capacity is nothing that a list keeps.
  public func removeAll(keepingCapacity: Bool) { removeAll() }

  /// Removes the elements at some indices.
  public func remove(atOffsets offsets: IndexSet) {
    for index in offsets.reversed() { remove(at: index) }
  }

  /// Moves the elements at some indices, in their order, before the one that is at `destination`.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    checkIndex(destination, below: count + 1)
    for (done, index) in offsets.filter({ $0 < destination }).reversed().enumerated() {
      move(from: index, to: destination - 1 - done)
    }
    for (done, index) in offsets.filter({ $0 >= destination }).enumerated() {
      move(from: index, to: destination + done)
    }
  }

  /// Returns the number of elements that two arrays have in common at the beginning, and at the end
  /// of the rest.
  private static func common(_ a: [_Stored], _ b: [_Stored]) -> (head: Int, tail: Int) {
    let shorter = Swift.min(a.count, b.count)
    var head = 0
    while head < shorter, a[head].isSame(as: b[head]) { head += 1 }
    var tail = 0
    while tail < shorter - head, a[a.count - 1 - tail].isSame(as: b[b.count - 1 - tail]) {
      tail += 1
    }
    return (head, tail)
  }

  private func checkBounds(_ range: Range<Int>) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      Trap.stop("Range \(range) is out of bounds of a list of \(count) elements.")
    }
  }

  private func checked(_ range: @autoclosure () -> Range<Int>, _ number: Int) -> Range<Int> {
    guard number >= 0, number <= count else {
      Trap.stop("Removing \(number) elements from a list of \(count) elements.")
    }
    return range()
  }
}
