/// Dates as texts of ISO 8601, exactly and without Foundation.
///
/// A date is the `Double` of ``PersistedValue/date(_:)``: seconds since 2001-01-01 00:00 UTC. Its text is
/// `2001-01-01T00:00:00.25Z`: the proleptic Gregorian calendar, UTC, and as many digits after the point as
/// the same `Double` needs to be read again, none for a whole second. A date that has no such text is its
/// seconds as a number: before the year 1, after 9999, not finite, or −0.
package enum DateText {
  /// The reason why a text is no date.
  package enum Problem: Error, Hashable, Sendable {
    /// It does not have the form of one.
    case form
    /// It has, and there is no such day, time or offset.
    case value(String)
  }

  /// The form that is written, for messages.
  package static let example = "2024-02-29T12:30:00Z"

  private static let secondsOfDay: Int64 = 86_400
  /// Days from 0000-03-01 to 2001-01-01.
  private static let reference = days(2001, 1, 1)
  private static let first = (days(1, 1, 1) - reference) * secondsOfDay
  private static let end = (days(10_000, 1, 1) - reference) * secondsOfDay
  /// Digits after the point that are read: those of the smallest `Double`, and some.
  private static let fractionDigits = 1_100

  // MARK: Writing

  package static func text(_ seconds: Double) -> String {
    guard seconds >= Double(first), seconds < Double(end), !(seconds == 0 && seconds.sign == .minus)
    else { return "\(seconds)" }
    var (whole, fraction) = decimal(seconds.magnitude)
    if seconds < 0 {
      whole = fraction.isEmpty ? -whole : -whole - 1
      fraction = complement(fraction)
    }
    let day = floorDivided(whole, by: secondsOfDay)
    let second = whole - day * secondsOfDay
    let date = date(day + reference)
    return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
      + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
      + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self)) + "Z"
  }

  /// The shortest decimal of a number: what is before the point, and the digits after it.
  private static func decimal(_ magnitude: Double) -> (whole: Int64, fraction: [UInt8]) {
    let parts = magnitude.description.split(separator: "e")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let halves = parts[0].split(separator: ".")
    var before = Array(halves[0].utf8)
    var after = halves.count > 1 ? Array(halves[1].utf8) : []
    if exponent < 0 {
      after = Array(repeating: zero, count: max(-exponent - before.count, 0)) + before + after
      before = []
    } else if exponent > 0 {
      after += Array(repeating: zero, count: max(exponent - after.count, 0))
      before += after.prefix(exponent)
      after.removeFirst(exponent)
    }
    while after.last == zero { after.removeLast() }
    return (Int64(String(decoding: before, as: UTF8.self)) ?? 0, after)
  }

  private static let zero = UInt8(ascii: "0")

  /// The digits of 1 − 0.f; the last of f is not 0.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    guard let last = fraction.last else { return [] }
    return fraction.dropLast().map { 9 - ($0 - zero) + zero } + [10 - (last - zero) + zero]
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  // MARK: Reading

  /// Reads `YYYY-MM-DDThh:mm:ss`, a fraction of any length, and `Z` or an offset `±hh:mm`.
  ///
  /// A space may stand for the `T`, and `±hh` or `±hhmm` for the offset, as databases write them.
  ///
  /// - Throws: `Problem` with the part that does not exist: there is no 30th of February, no 25th hour, no
  ///   60th second, no year 0.
  package static func seconds(_ text: String) throws(Problem) -> Double {
    var reader = DateReader(text)
    let year = try reader.number(4)
    try reader.skip("-")
    let month = try reader.number(2)
    try reader.skip("-")
    let day = try reader.number(2)
    try reader.skip("T", "t", " ")
    let hour = try reader.number(2)
    try reader.skip(":")
    let minute = try reader.number(2)
    try reader.skip(":")
    let second = try reader.number(2)
    var fraction = try reader.fraction(limit: fractionDigits)
    let offset = try reader.offset()
    try check(year, month, day)
    guard hour < 24 else { throw .value("there is no hour \(hour)") }
    guard minute < 60 else { throw .value("there is no minute \(minute)") }
    guard second < 60 else { throw .value("there is no second \(second)") }
    while fraction.last == zero { fraction.removeLast() }
    let days = days(year, month, day) - reference
    let whole = days * secondsOfDay + hour * 3600 + minute * 60 + second - offset * 60
    if fraction.isEmpty { return Double(whole) }
    let sign = whole < 0 ? "-" : ""
    let digits = whole < 0 ? complement(fraction) : fraction
    let number =
      "\(sign)\(whole < 0 ? -(whole + 1) : whole).\(String(decoding: digits, as: UTF8.self))"
    guard let seconds = Double(number) else { throw .form }
    return seconds
  }

  private static func check(_ year: Int64, _ month: Int64, _ day: Int64) throws(Problem) {
    guard year > 0 else { throw .value("there is no year 0") }
    guard (1...12).contains(month) else { throw .value("there is no month \(month)") }
    let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
    let count = next - days(year, month, 1)
    guard (1...count).contains(day) else {
      throw .value("\(padded(year, 4))-\(padded(month, 2)) has no day \(day)")
    }
  }

  // MARK: The calendar

  /// Days from 0000-03-01, by whose years the leap day is the last.
  ///
  /// Source: Howard Hinnant, "chrono-compatible low-level date algorithms".
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = floorDivided(year, by: 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let era = floorDivided(days, by: 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  private static func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// One pass over the bytes of a date.
private struct DateReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private var digit: Int64? {
    next.flatMap { (48...57).contains($0) ? Int64($0 - 48) : nil }
  }

  /// Exactly so many digits.
  mutating func number(_ count: Int) throws(DateText.Problem) -> Int64 {
    var number: Int64 = 0
    for _ in 0..<count {
      guard let digit else { throw .form }
      number = number * 10 + digit
      place += 1
    }
    return number
  }

  mutating func skip(_ allowed: Character...) throws(DateText.Problem) {
    guard let next, allowed.contains(where: { $0.asciiValue == next }) else { throw .form }
    place += 1
  }

  /// The digits after a point, if there is one.
  mutating func fraction(limit: Int) throws(DateText.Problem) -> [UInt8] {
    guard next == UInt8(ascii: ".") else { return [] }
    place += 1
    let start = place
    while digit != nil { place += 1 }
    guard place > start, place - start <= limit else { throw .form }
    return Array(bytes[start..<place])
  }

  /// Minutes that the local time is ahead of UTC; the text ends behind it.
  mutating func offset() throws(DateText.Problem) -> Int64 {
    guard let sign = next else { throw .form }
    place += 1
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") {
      guard next == nil else { throw .form }
      return 0
    }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { throw .form }
    let hours = try number(2)
    if next == UInt8(ascii: ":") {
      place += 1
      guard next != nil else { throw .form }
    }
    let minutes = next == nil ? 0 : try number(2)
    guard next == nil else { throw .form }
    guard hours < 24 else { throw .value("there is no offset of \(hours) hours") }
    guard minutes < 60 else { throw .value("there is no offset of \(minutes) minutes") }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}
