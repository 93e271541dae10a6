public import AtollVocabulary
public import Foundation
import Synchronization

extension ObjectId {
  /// The process's share of every id it makes: five random bytes, and where its counter stands.
  private struct Source {
    var random = UInt64.random(in: 0..<1 << 40)
    var counter = UInt32.random(in: 0..<1 << 24)

    mutating func next() -> UInt32 {
      counter = (counter &+ 1) & 0xFF_FFFF
      return counter
    }
  }

  private static let source = Mutex(Source())

  /// A new id: the current second, this process's random bytes, and the next count.
  public static func generate() -> ObjectId {
    let (random, counter) = source.withLock { source in
      (source.random, source.next())
    }
    return ObjectId(
      high: second(Date()) << 32 | random >> 8, low: UInt32(random & 0xFF) << 24 | counter)
  }

  /// Seconds since 1970, as far as 32 bits hold them.
  private static func second(_ date: Date) -> UInt64 {
    UInt64(UInt32(clamping: Int64(date.timeIntervalSince1970.rounded(.down))))
  }

  /// The id in a literal of twenty-four hexadecimal digits.
  ///
  /// Stops at any other text; a text that is known at run time only is read by ``init(string:)``.
  public init(_ literal: StaticString) {
    let text = literal.description
    guard let id = ObjectId(text) else {
      Trap.stop("Making an ObjectId: it is 24 hexadecimal digits; '\(text)' is not.")
    }
    self = id
  }

  /// An id of a time, with the low 24 bits of `machineId`, the low 16 bits of `processId`, and the
  /// next count of this process.
  public init(timestamp: Date, machineId: Int, processId: Int) {
    let counter = Self.source.withLock { $0.next() }
    let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
    let process = UInt64(truncatingIfNeeded: processId) & 0xFFFF
    let share = machine << 16 | process
    self.init(
      high: Self.second(timestamp) << 32 | share >> 8, low: UInt32(share & 0xFF) << 24 | counter)
  }

  /// Reads twenty-four hexadecimal digits.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` for any other text.
  public init(string text: String) throws(Store.Error) {
    guard let id = ObjectId(text) else {
      throw Store.Error(
        .invalidValue, "An ObjectId is 24 hexadecimal digits; '\(text)' is not.")
    }
    self = id
  }

  /// The id as `description` writes it.
  public var stringValue: String { description }

  /// The time at which the id was made, to the second.
  public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
