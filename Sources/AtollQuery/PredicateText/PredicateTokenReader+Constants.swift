import AtollVocabulary

// Constants that are written with their type.
extension PredicateTokenReader {
  /// Reads `uuid(…)` or `oid(…)`, with or without quotes around what is inside.
  mutating func identifier() throws(PredicateTextError) -> PredicateToken.Kind? {
    let start = index
    guard let (name, form) = constantName else { return nil }
    let opening = index + name.utf8.count + 1
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ")")) else {
      throw PredicateTextError(token(.end, from: start), expected: "\")\" after \(name)(")
    }
    let inside = String(
      decoding: bytes[opening..<end].filter { !Self.quotes.contains($0) }, as: UTF8.self)
    index = end + 1
    let value: PersistedValue? =
      name == "uuid"
      ? UniqueBytes(inside).map { .uuid($0) } : ObjectId(inside).map { .objectId($0) }
    guard let value else {
      throw PredicateTextError(
        token(.end, from: start), expected: "\(form) between \(name)( and )")
    }
    return .constant(value)
  }

  /// The characters that may stand around the digits of an identifier.
  private static let quotes = Array("\"' ".utf8)

  /// The name that is next, with the parenthesis behind it, and what belongs inside.
  private var constantName: (name: String, form: String)? {
    if isNext("uuid(") { return ("uuid", "a UUID") }
    if isNext("oid(") { return ("oid", "24 hexadecimal digits") }
    return nil
  }

  /// Tells whether these small letters and signs are next, in any case.
  private func isNext(_ spelling: StaticString) -> Bool {
    let count = spelling.utf8CodeUnitCount
    guard index + count <= bytes.count else { return false }
    for place in 0..<count {
      let wanted = spelling.utf8Start[place]
      let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= wanted
      guard wanted == (isLetter ? bytes[index + place] | 0x20 : bytes[index + place]) else {
        return false
      }
    }
    return true
  }

  /// Reads `YYYY-MM-DD@HH:MM:SS[:nanoseconds]`, or `T<seconds since 1970>:<nanoseconds>`; in UTC.
  mutating func date() throws(PredicateTextError) -> PersistedValue? {
    let start = index
    let isUnix = bytes[start] == UInt8(ascii: "T")
    guard isUnix || bytes[start].isDigit else { return nil }
    let end = bytes[start...].firstIndex { !$0.isPartOfDate } ?? bytes.count
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    if isUnix, let colon = word.firstIndex(of: ":") {
      guard let seconds = Int64(word[..<colon].dropFirst()),
        let nanoseconds = Int64(word[colon...].dropFirst()), abs(nanoseconds) < 1_000_000_000
      else { return nil }
      index = end
      return CivilDate.value(unix: seconds, nanoseconds: nanoseconds)
    }
    guard word.contains("@") else { return nil }
    index = end
    guard let date = CivilDate(word) else {
      throw PredicateTextError(
        token(.end, from: start), expected: "a date such as 2024-05-31@12:00:00")
    }
    return date.value
  }
}

extension UInt8 {
  fileprivate var isPartOfDate: Bool {
    switch Unicode.Scalar(self) {
    case "-", "@", ":", "T": true
    default: isDigit
    }
  }
}

/// A day and a time in UTC, by the Gregorian calendar.
private struct CivilDate {
  private let year, month, day, hour, minute, second, nanosecond: Int64

  /// Seconds from 1970 to 2001, where the file's dates begin.
  private static let reference: Int64 = 978_307_200

  init?(_ text: String) {
    let halves = text.split(separator: "@", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let date = halves[0].split(separator: "-").map { Int64($0) }
    let time = halves[1].split(separator: ":").map { Int64($0) }
    guard date.count == 3, (3...4).contains(time.count),
      let year = date[0], let month = date[1], let day = date[2], let hour = time[0],
      let minute = time[1], let second = time[2], let nanosecond = time.count == 4 ? time[3] : 0,
      (0...9999).contains(year), (1...12).contains(month),
      (1...Self.days(in: month, of: year)).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second),
      (0..<1_000_000_000).contains(nanosecond)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
    self.nanosecond = nanosecond
  }

  var value: PersistedValue {
    // Years that begin in March end with the day that not all of them have.
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * month + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return Self.value(
      unix: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: nanosecond)
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  static func value(unix seconds: Int64, nanoseconds: Int64) -> PersistedValue {
    let whole = seconds.subtractingReportingOverflow(reference)
    return .date(
      (whole.overflow ? Double(seconds) : Double(whole.partialValue)) + Double(nanoseconds) / 1e9)
  }
}
