import AtollQuery
import AtollSQLite
import AtollVocabulary

/// The functions that queries need beyond those of SQLite.
///
/// They exist on connections of this module only: a person with the `sqlite3` shell reads the tables
/// without them.
enum QueryFunctions {
  /// `atoll_fold(text, options)`: the text without case (1), without diacritics (2).
  static let fold = "atoll_fold"
  /// `atoll_like(text, pattern, options)`.
  static let like = "atoll_like"
  /// `atoll_key(value, type)`: bytes whose order is that of values, whatever their types.
  ///
  /// The second argument is the number of a ``PersistedType``, or what stands beside an any-typed value;
  /// numbers are equal by value, across types.
  static let key = "atoll_key"
  /// `atoll_sum(number)`: whole numbers wrap around, nil counts for nothing.
  static let sum = "atoll_sum"
  /// `atoll_average(number)`: nil where there is none.
  static let average = "atoll_average"

  /// `atoll_decimal(number)`: a number of any type as the bytes of a decimal.
  static let decimal = "atoll_decimal"

  /// `atoll_within(longitude, latitude, area)`: whether a point is in the area that the bytes stand for.
  static let within = "atoll_within"

  /// `atoll_compute(program, number, number …)`: see ``Computation``.
  static let compute = "atoll_compute"

  static func register(on connection: Connection) throws(SQLiteError) {
    try connection.register(fold, arguments: 2) { arguments in
      guard case .text(let text) = arguments[0], case .integer(let options) = arguments[1] else {
        return .null
      }
      return .text(TextFolding.fold(text, .init(rawValue: UInt8(truncatingIfNeeded: options))))
    }
    try connection.register(like, arguments: 3) { arguments in
      guard case .text(let text) = arguments[0], case .text(let pattern) = arguments[1],
        case .integer(let options) = arguments[2]
      else { return .null }
      let isMatch = TextFolding.matches(
        text, pattern, .init(rawValue: UInt8(truncatingIfNeeded: options)))
      return .integer(isMatch ? 1 : 0)
    }
    try connection.register(key, arguments: 2) { arguments in
      guard case .integer(let type) = arguments[1] else { return .null }
      return ValueKey.bytes(arguments[0], type: type).map { .blob($0) } ?? .null
    }
    try connection.register(within, arguments: 3) { arguments in
      guard case .real(let longitude) = arguments[0], case .real(let latitude) = arguments[1],
        case .blob(let bytes) = arguments[2], let shape = GeoShape(bytes: bytes)
      else { return .null }
      let point = GeoShape.Point(longitude: longitude, latitude: latitude)
      return .integer(shape.contains(point) ? 1 : 0)
    }
    try connection.register(decimal, arguments: 1) { arguments in
      switch arguments[0] {
      case .null, .text: .null
      case .integer(let number): .blob(Decimal128(number).orderedBytes)
      case .real(let number): .blob(Decimal128(number).orderedBytes)
      case .blob(let bytes):
        .blob(bytes == Statement.notANumber ? Decimal128.nan.orderedBytes : bytes)
      }
    }
    try connection.register(compute, arguments: -1) { Computation.result($0) }
    try connection.registerSums(sum: sum, average: average)
  }
}
