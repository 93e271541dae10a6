@_exported public import struct AtollVocabulary.Decimal128
public import Foundation

extension Decimal128 {
  /// Reads a number as the standard writes them.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` for any other text.
  public init(string text: String) throws(Store.Error) {
    guard let value = Decimal128(text) else {
      throw Store.Error(.invalidValue, "'\(text)' is not a decimal number.")
    }
    self = value
  }

  /// The same number as Foundation's decimal, which has up to thirty-eight digits.
  public init(_ decimal: Decimal) {
    self = Decimal128(decimal.description) ?? .nan
  }

  /// The number in `number`, by its shortest digits if it is floating point.
  public init(number: NSNumber) {
    guard case .decimal(let value)? = Coercion.scalar(number, as: .decimal) else {
      self.init(number.int64Value)
      return
    }
    self = value
  }

  /// The `Double` nearest to the value.
  public var doubleValue: Double { Double(self) }

  /// The value as ``description`` writes it.
  public var stringValue: String { description }
}
