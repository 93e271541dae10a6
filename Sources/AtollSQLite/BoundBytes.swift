/// The memory of short texts and blobs while they are bound to a statement's parameters.
///
/// SQLite's own copy takes memory for each value and gives it back at the next one; here a
/// parameter's bytes go where its last ones were.
struct BoundBytes: ~Copyable {
  private struct Slot {
    var address: UnsafeMutableRawPointer?
    var capacity = 0
  }

  private var slots: UnsafeMutableBufferPointer<Slot>?

  /// Longer values are SQLite's to copy.
  static let longest = 1024
  private static let shortest = 64

  /// A copy of the bytes that stays as it is until the parameter's next one, or the end.
  ///
  /// - Parameters:
  ///   - bytes: Up to ``longest``.
  ///   - index: Of the parameter, from 1.
  ///   - count: How many parameters the statement has; the same each time.
  /// - Returns: Nil for a parameter that the statement does not have.
  mutating func keep(
    _ bytes: UnsafeRawBufferPointer, at index: Int32, of count: Int32
  ) -> UnsafeRawPointer? {
    guard 1...max(1, count) ~= index, bytes.count <= Self.longest else { return nil }
    if slots == nil {
      let made = UnsafeMutableBufferPointer<Slot>.allocate(capacity: Int(max(1, count)))
      made.initialize(repeating: Slot())
      slots = made
    }
    guard let slots else { return nil }
    var slot = slots[Int(index) - 1]
    if slot.capacity < max(1, bytes.count) {
      slot.address?.deallocate()
      slot.capacity = bytes.count <= Self.shortest ? Self.shortest : Self.longest
      slot.address = .allocate(byteCount: slot.capacity, alignment: 8)
      slots[Int(index) - 1] = slot
    }
    guard let address = slot.address else { return nil }
    if let source = bytes.baseAddress {
      address.copyMemory(from: source, byteCount: bytes.count)
    }
    return UnsafeRawPointer(address)
  }

  deinit {
    guard let slots else { return }
    for slot in slots { slot.address?.deallocate() }
    slots.deallocate()
  }
}
