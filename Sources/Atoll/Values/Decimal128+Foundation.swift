// The whole module: what is exported by name alone leaves operators such as `/` behind.
@_exported public import AtollVocabulary
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

  /// The number that `value` is: an integer or floating point number of any type, a decimal, an
  /// `NSNumber`, or the text of a number; nil and `NSNull` are `nan`.
  ///
  /// Stops at any other value. ``init(string:)`` throws instead.
  public init(value: Any) {
    guard let given = unwrapped(value), !isNull(given) else {
      self = .nan
      return
    }
    guard case .decimal(let decimal)? = Coercion.scalar(given, as: .decimal) else {
      Trap.stop(
        "Making a Decimal128: '\(given)' of type \(Swift.type(of: given)) is no number and not the "
          + "text of one. Give a number, or read text with init(string:).")
    }
    self = decimal
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

  /// The value as Foundation's decimal; not a number if it is none, or infinite.
  ///
  /// Exponents beyond those of a `Decimal`, from -128 to 127, lose digits or make it not a number.
  public var decimalValue: Decimal { Decimal(string: description) ?? .nan }

  /// The value as `description` writes it.
  public var stringValue: String { description }

  /// True if this is `nan`, of which there is one kind only.
  public var isSignaling: Bool { isNaN }

  /// True if this is `nan`, of which there is one kind only.
  public var isSignalingNaN: Bool { isNaN }
}

extension Decimal128: ExpressibleByStringLiteral {
  /// A literal text, every digit of which counts: `"0.1234567890123456789"`.
  ///
  /// Stops at a text that is no number.
  public init(stringLiteral literal: String) {
    guard let value = Decimal128(text: literal) else {
      Trap.stop("Making a Decimal128: the literal '\(literal)' is not a decimal number.")
    }
    self = value
  }

  private init?(text: String) { self.init(text) }
}
