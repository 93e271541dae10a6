import AtollVocabulary

/// A place in bytes that somebody else wrote; every read checks that the bytes are there.
struct ByteReader: Sendable {
  let bytes: [UInt8]
  /// The next byte to read: `0 <= offset <= bytes.count`.
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - offset }

  mutating func byte(_ subject: StaticString) throws(ChangesetError) -> UInt8 {
    guard offset < bytes.count else { throw truncated(subject, needed: 1) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Takes `count` bytes and says where they are.
  mutating func range(
    _ count: Int, _ subject: StaticString
  ) throws(ChangesetError) -> Range<Int> {
    guard count <= remaining else { throw truncated(subject, needed: count) }
    defer { offset += count }
    return offset..<offset + count
  }

  /// A big-endian number of its type's width.
  mutating func fixed<Number: FixedWidthInteger>(
    _ type: Number.Type, _ subject: StaticString
  ) throws(ChangesetError) -> Number {
    let range = try range(MemoryLayout<Number>.size, subject)
    return bytes.withUnsafeBytes {
      Number(bigEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: Number.self))
    }
  }

  /// A number in the fewest bytes that hold it, at most `limit`.
  mutating func varint(
    _ subject: StaticString, limit: UInt64 = .max
  ) throws(ChangesetError) -> UInt64 {
    let start = offset
    let first = try byte(subject)
    var number = UInt64(first)
    if first >= 0x80 { number = try longVarint(first, subject) }
    guard number <= limit else { throw overLimit(subject, number, limit: limit, at: start) }
    return number
  }

  mutating func varint32(_ subject: StaticString) throws(ChangesetError) -> UInt32 {
    UInt32(truncatingIfNeeded: try varint(subject, limit: UInt64(UInt32.max)))
  }

  /// A changeset's number, 0 for none; a million a second reach the bound in 285 years.
  mutating func sequence(_ subject: StaticString) throws(ChangesetError) -> SequenceNumber {
    SequenceNumber(try varint(subject, limit: Limits.sequenceNumber))
  }

  /// A hybrid time whose milliseconds are below the bound: a greater one is refused for good.
  mutating func time(_ subject: StaticString) throws(ChangesetError) -> HybridTime {
    let start = offset
    let time = HybridTime(rawValue: try fixed(UInt64.self, subject))
    guard time.milliseconds < Limits.stampMilliseconds else {
      throw ChangesetError(
        .overLimit, at: .byte(start), "\(subject)", found: "\(time.milliseconds) milliseconds",
        expected: "less than \(Limits.stampMilliseconds); the clock of who wrote it is wrong")
    }
    return time
  }

  /// Reads a number of items: at most `limit`, and no more than there are bytes left for.
  mutating func count(
    _ subject: StaticString, limit: Int, bytesEach: Int = 1
  ) throws(ChangesetError) -> Int {
    let count = Int(try varint(subject, limit: UInt64(limit)))
    guard count <= remaining / bytesEach else {
      throw truncated(
        subject, needed: count.multipliedReportingOverflow(by: bytesEach).partialValue)
    }
    return count
  }

  /// The inverse of zigzag.
  mutating func signed(_ subject: StaticString) throws(ChangesetError) -> Int64 {
    let number = try varint(subject)
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func text(
    _ subject: StaticString, limit: Int
  ) throws(ChangesetError) -> String {
    let count = Int(try varint(subject, limit: UInt64(limit)))
    let range = try range(count, subject)
    do {
      return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
    } catch {
      throw ChangesetError(
        .invalidText, at: .byte(range.lowerBound), "\(subject)",
        found: Hexadecimal.text(bytes: bytes[range].prefix(32)), expected: "UTF-8")
    }
  }

  mutating func author(_ subject: StaticString) throws(ChangesetError) -> Author {
    let high = try fixed(UInt64.self, subject)
    let low = try fixed(UInt64.self, subject)
    return Author(
      replica: ReplicaID(high: high, low: low),
      incarnation: Incarnation(try fixed(UInt64.self, subject)))
  }

  /// An author and one of its histories, which is never 0.
  mutating func branchedAuthor(_ subject: StaticString) throws(ChangesetError) -> Author {
    let author = try author(subject)
    let start = offset
    let branch = Branch(try fixed(UInt64.self, subject))
    guard branch != .none else {
      throw notCanonical(
        subject, at: start, found: "a branch named 0", expected: "the tag of an author without one")
    }
    return author.branch(branch)
  }

  private mutating func longVarint(
    _ first: UInt8, _ subject: StaticString
  ) throws(ChangesetError) -> UInt64 {
    let start = offset - 1
    var number = UInt64(first & 0x7F)
    for shift in stride(from: UInt64(7), through: 63, by: 7) {
      let next = try byte(subject)
      number |= UInt64(next & 0x7F) << shift
      guard next < 0x80 else { continue }
      guard next != 0 else {
        throw ChangesetError(
          .notCanonical, at: .byte(start), "\(subject)",
          found: "a number with a needless last byte", expected: "the fewest bytes")
      }
      guard shift < 63 || next == 1 else { break }
      return number
    }
    throw ChangesetError(
      .outOfRange, at: .byte(start), "\(subject)", found: "a number of more than 64 bits",
      expected: "at most 64 bits")
  }
}

// MARK: - Errors

extension ByteReader {
  func truncated(_ subject: StaticString, needed: Int) -> ChangesetError {
    ChangesetError(
      .truncated, at: .byte(offset), "\(subject)", found: "\(remaining) bytes to the end",
      expected: "\(needed) bytes or more")
  }

  func overLimit(
    _ subject: StaticString, _ number: UInt64, limit: UInt64, at start: Int
  ) -> ChangesetError {
    ChangesetError(
      .overLimit, at: .byte(start), "\(subject)", found: "\(number)", expected: "at most \(limit)")
  }

  func unknownTag(_ subject: StaticString, _ tag: UInt8, at start: Int) -> ChangesetError {
    ChangesetError(
      .unknownTag, at: .byte(start), "\(subject)", found: "tag \(tag)",
      expected: "a tag of format \(ChangesetFormat.version)")
  }

  func notCanonical(
    _ subject: StaticString, at start: Int, found: String, expected: String
  ) -> ChangesetError {
    ChangesetError(
      .notCanonical, at: .byte(start), "\(subject)", found: found, expected: expected)
  }
}
