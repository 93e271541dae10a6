@_exported public import struct AtollVocabulary.ObjectId
public import Foundation
import Synchronization

extension ObjectId {
  /// The process's share of every id it makes: five random bytes, and where its counter stands.
  private struct Source {
    var random = UInt64.random(in: 0..<1 << 40)
    var counter = UInt32.random(in: 0..<1 << 24)
  }

  private static let source = Mutex(Source())

  /// A new id: the current second, this process's random bytes, and the next count.
  public static func generate() -> ObjectId {
    let (random, counter) = source.withLock { source in
      source.counter = (source.counter &+ 1) & 0xFF_FFFF
      return (source.random, source.counter)
    }
    let second = UInt64(UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970)))
    return ObjectId(
      high: second << 32 | random >> 8, low: UInt32(random & 0xFF) << 24 | counter)
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

  /// When the id was made, to the second.
  public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
