import AtollVocabulary
import Foundation

/// Scalars as Realm Studio, realm-js and Extended JSON write them, as the `Importer` reads them.
enum RealmScalar {
  /// Reads a value as a type.
  ///
  /// - Returns: The value in a form of `atoll export`.
  /// - Throws: `Importer.Problem` that says what was found and expected.
  static func value(
    _ value: JSONValue, _ type: PersistedType, named name: String
  ) throws -> JSONValue {
    if value == .null { return .null }
    guard let text = text(value, type),
      (try? ScalarText.value(text, type, named: name, found: "")) != nil
    else {
      throw Importer.Problem(text: "\(name): found \(short(value)), expected \(expected(type))")
    }
    switch type {
    case .bool: return .bool(text == "true")
    case .int: return .number(text)
    case _: return .string(text)
    }
  }

  /// A number of an any-typed value: an `Int` if it is whole, and else a `Double`.
  static func number(_ value: JSONValue, named name: String) throws -> JSONValue {
    let isWhole = !value.text.utf8.contains { [46, 69, 101].contains($0) }
    _ = try ScalarText.value(
      value.text, isWhole ? .int : .double, named: name, found: short(value))
    return value
  }

  /// A value of Extended JSON where any type may stand.
  static func typed(_ value: JSONValue, named name: String) throws -> JSONValue {
    let types: [(String, PersistedType)] = [
      ("$oid", .objectId), ("$uuid", .uuid), ("$date", .date), ("$numberDecimal", .decimal),
      ("$numberDouble", .double), ("$numberInt", .int), ("$numberLong", .int),
    ]
    guard let type = types.first(where: { value[$0.0] != nil })?.1 ?? binary(value)?.type,
      let found = try? self.value(value, type, named: name)
    else {
      throw Importer.Problem(
        text: "\(name): found \(short(value)), expected a value of Extended JSON, such as "
          + "{\"$oid\":…}")
    }
    guard case .string = found, let word = ScalarText.word(of: type) else { return found }
    return .object([.init(name: word, value: found)])
  }

  /// Tells whether a text of an any-typed value may have been a date, an ObjectId or a UUID.
  static func looksTyped(_ text: String) -> Bool {
    switch text.utf8.count {
    case 20...27: ObjectId(text) != nil || (try? DateText.seconds(text)) != nil
    case 36: UniqueBytes(text) != nil
    case _: false
    }
  }

  private static func short(_ value: JSONValue) -> String {
    if case .object = value { return String(value.text.prefix(60)) }
    return String(value.kind.prefix(60))
  }

  private static func expected(_ type: PersistedType) -> String {
    switch type {
    case .data: "data as Base64, or {\"$binary\":{\"base64\":…}}"
    case .date: "a date such as \"\(DateText.example)\", or {\"$date\":…}"
    case .uuid: "a UUID as text, or {\"$uuid\":…}"
    case .objectId: "an ObjectId as 24 hexadecimal digits, or {\"$oid\":…}"
    case .decimal: "a decimal such as {\"$numberDecimal\":\"12.50\"}"
    case .bool, .int, .float, .double, .string, .identity, .link, .embedded, .any:
      ScalarText.expected(type)
    }
  }

  // MARK: Texts

  /// A value as the text of its type; nil if it does not have a form of it.
  private static func text(_ value: JSONValue, _ type: PersistedType) -> String? {
    switch (type, value) {
    case (.bool, .bool(let value)): "\(value)"
    case (.int, .number(let text)): text
    case (.int, _): member(value, ["$numberInt", "$numberLong"])
    case (.float, .number(let text)), (.double, .number(let text)): text
    case (.float, _), (.double, _):
      member(value, ["$numberDouble", "$numberInt", "$numberLong"])
    case (.string, .string(let text)): text
    case (.decimal, .number(let text)), (.decimal, .string(let text)): text
    case (.decimal, _): member(value, ["$numberDecimal", "$numberInt", "$numberLong"])
    case (.objectId, .string(let text)): text
    case (.objectId, _): member(value, ["$oid"])
    case (.uuid, .string(let text)): text
    case (.uuid, _):
      member(value, ["$uuid"]) ?? binary(value).flatMap { $0.type == .uuid ? $0.text : nil }
    case (.data, .string(let text)): bytes(text)
    case (.data, _): buffer(value) ?? binary(value).flatMap { $0.type == .data ? $0.text : nil }
    case (.date, .string(let text)): date(text)
    case (.date, _): date(value)
    case (.bool, _), (.string, _), (.identity, _), (.link, _), (.embedded, _), (.any, _): nil
    }
  }

  /// The text of the only member, if it has one of the names.
  private static func member(_ value: JSONValue, _ names: [String]) -> String? {
    guard case .object(let members) = value, members.count == 1, let only = members.first,
      names.contains(only.name)
    else { return nil }
    switch only.value {
    case .string(let text): return text
    case .number(let text): return text
    case .null, .bool, .array, .object: return nil
    }
  }

  // MARK: Bytes

  private static func bytes(_ base64: String) -> String? {
    Data(base64Encoded: base64).map { Hexadecimal.text(bytes: $0) }
  }

  /// `{"$binary":{"base64":"AQI=","subType":"00"}}`, and before 2018 `{"$binary":"AQI=","$type":"00"}`.
  private static func binary(_ value: JSONValue) -> (type: PersistedType, text: String)? {
    guard let binary = value["$binary"] else { return nil }
    guard case .string(let base64) = binary["base64"] ?? binary, let text = bytes(base64) else {
      return nil
    }
    guard case .string(let subType)? = binary["subType"] ?? value["$type"] else {
      return (.data, text)
    }
    return ["03", "04", "3", "4"].contains(subType)
      ? uuid(text).map { (.uuid, $0) } : (.data, text)
  }

  /// The text of a UUID, of its 32 digits.
  private static func uuid(_ digits: String) -> String? {
    guard digits.utf8.count == 32 else { return nil }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }

  /// `{"type":"Buffer","data":[1,2]}`, as Node writes a buffer.
  private static func buffer(_ value: JSONValue) -> String? {
    guard value["type"] == .string("Buffer"), case .array(let elements)? = value["data"] else {
      return nil
    }
    let bytes = elements.compactMap { element -> UInt8? in
      if case .number(let text) = element { UInt8(text) } else { nil }
    }
    return bytes.count == elements.count ? Hexadecimal.text(bytes: bytes) : nil
  }

  // MARK: Dates

  /// `{"$date":"2024-02-29T12:30:00Z"}`, or its milliseconds since 1970, as a number, `$numberLong` or
  /// `$numberDouble`.
  private static func date(_ value: JSONValue) -> String? {
    guard case .object(let members) = value, members.count == 1, let inner = value["$date"] else {
      return nil
    }
    if case .string(let text) = inner { return date(text) }
    let number: String? =
      if case .number(let text) = inner {
        text
      } else {
        member(inner, ["$numberLong", "$numberDouble"])
      }
    return number.flatMap { Int64($0).map(seconds) ?? fractional($0) }
  }

  /// Seconds since 2001, of milliseconds since 1970 with parts of them.
  private static func fractional(_ milliseconds: String) -> String? {
    guard let number = Double(milliseconds), number.isFinite else { return nil }
    return "\((number - 978_307_200_000) / 1000)"
  }

  /// Seconds since 2001, of milliseconds since 1970.
  private static func seconds(_ milliseconds: Int64) -> String? {
    let (since2001, isTooFar) = milliseconds.subtractingReportingOverflow(978_307_200_000)
    guard !isTooFar else { return nil }
    let (whole, rest) = since2001.magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(1000 + rest).dropFirst()
    return "\(since2001 < 0 ? "-" : "")\(whole).\(digits)"
  }

  /// A date as text: ISO 8601, and the years of JavaScript before 1 and after 9999.
  ///
  /// The calendar repeats itself every 400 years, and only the distance has to be added.
  private static func date(_ text: String) -> String? {
    if (try? DateText.seconds(text)) != nil { return text }
    let isLong = text.hasPrefix("+") || text.hasPrefix("-")
    let digits = text.utf8.prefix(isLong ? 7 : 4)
    guard let year = Int64(String(decoding: digits, as: UTF8.self)), year != 0 || !isLong else {
      return nil
    }
    let near = 2000 + (year % 400 + 400) % 400
    let rest = text.utf8.dropFirst(digits.count)
    guard let seconds = try? DateText.seconds("\(near)" + String(decoding: rest, as: UTF8.self))
    else { return nil }
    return "\(seconds + Double((year - near) / 400) * 146_097 * 86_400)"
  }
}
