import AtollVocabulary
import Testing

@Suite struct DateTextTests {
  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.25Z"),
    (-1.5, "2000-12-31T23:59:58.5Z"), (686_457_695.0, "2022-10-03T02:41:35Z"),
    (730_902_600.123456, "2024-02-29T12:30:00.123456Z"), (-978_307_200.0, "1970-01-01T00:00:00Z"),
    (-978_307_200.000001, "1969-12-31T23:59:59.999999Z"),
    (1e-9, "2001-01-01T00:00:00.000000001Z"), (-1e-7, "2000-12-31T23:59:59.9999999Z"),
    (-63_113_904_000.0, "0001-01-01T00:00:00Z"), (252_423_993_599.0, "9999-12-31T23:59:59Z"),
    (-3_976_300_800.0, "1874-12-31T00:00:00Z"), (-31_622_400, "2000-01-01T00:00:00Z"),
    (-26_524_800.0, "2000-02-29T00:00:00Z"),
  ])
  func `issue 28.6: a date is ISO 8601 with the digits it needs`(seconds: Double, text: String)
    throws
  {
    #expect(DateText.text(seconds) == text)
    #expect(try DateText.seconds(text).bitPattern == seconds.bitPattern)
  }

  @Test(arguments: [
    -0.0, .nan, .infinity, -.infinity, 252_423_993_600.0, -63_113_904_000.5, 1e300,
  ])
  func `issue 28.6: a date without such a text is its seconds`(seconds: Double) throws {
    let text = DateText.text(seconds)
    let read = try #require(Double(text))
    #expect(read.bitPattern == seconds.bitPattern || read.isNaN && seconds.isNaN)
    #expect(throws: DateText.Problem.form) { try DateText.seconds(text) }
  }

  @Test func `issue 28.6: every date is read again to the bit`() throws {
    var random = SeededGenerator(seed: 286)
    var tried = 0
    for round in 0..<60_000 {
      let number =
        switch round % 4 {
        case 0: Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
        case 1: Double.random(in: -63_113_904_000..<252_423_993_600, using: &random)
        case 2: Double.random(in: -2...2, using: &random)
        default:
          Double(Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)) / 1000
        }
      let text = DateText.text(number)
      guard text.hasSuffix("Z") else { continue }
      tried += 1
      #expect(try DateText.seconds(text).bitPattern == number.bitPattern, "\(number): \(text)")
    }
    #expect(tried > 40_000)
    for tiny in [Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, -1e-200] {
      #expect(try DateText.seconds(DateText.text(tiny)).bitPattern == tiny.bitPattern)
    }
  }

  @Test(arguments: [
    ("2024-02-29T13:30:00+01:00", "2024-02-29T12:30:00Z"),
    ("2024-02-29 12:30:00+00", "2024-02-29T12:30:00Z"),
    ("2024-02-29t07:00:00.50-0530", "2024-02-29T12:30:00.5Z"),
    ("2024-02-29T12:30:00.000z", "2024-02-29T12:30:00Z"),
    ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"),
  ])
  func `issue 28.6: offsets and forms of databases are read`(text: String, same: String) throws {
    #expect(DateText.text(try DateText.seconds(text)) == same)
  }

  @Test(arguments: [
    ("2024-02-30T00:00:00Z", "2024-02 has no day 30"),
    ("2023-02-29T00:00:00Z", "2023-02 has no day 29"),
    ("1900-02-29T00:00:00Z", "1900-02 has no day 29"),
    ("2024-04-31T00:00:00Z", "2024-04 has no day 31"),
    ("2024-13-01T00:00:00Z", "there is no month 13"),
    ("2024-00-01T00:00:00Z", "there is no month 0"),
    ("2024-01-00T00:00:00Z", "2024-01 has no day 0"),
    ("0000-01-01T00:00:00Z", "there is no year 0"),
    ("2024-01-01T24:00:00Z", "there is no hour 24"),
    ("2024-01-01T25:00:00Z", "there is no hour 25"),
    ("2024-01-01T00:60:00Z", "there is no minute 60"),
    ("2016-12-31T23:59:60Z", "there is no second 60"),
    ("2024-01-01T00:00:00+25:00", "there is no offset of 25 hours"),
    ("2024-01-01T00:00:00-24:00", "there is no offset of 24 hours"),
    ("2024-01-01T00:00:00+01:60", "there is no offset of 60 minutes"),
  ])
  func `issue 28.6: a date that does not exist is refused, and why`(text: String, why: String) {
    #expect(throws: DateText.Problem.value(why)) { try DateText.seconds(text) }
  }

  @Test(arguments: [
    "", "2024-02-29", "2024-02-29T12:30Z", "2024-02-29T12:30:00", "20240229T123000Z",
    "2024-2-29T12:30:00Z",
    "2024-02-29T12:30:00.Z", "2024-02-29T12:30:00Zx", "2024-02-29T12:30:00+1:00",
    "2024-02-29T12:30:00+01:",
    " 2024-02-29T12:30:00Z", "12024-02-29T12:30:00Z", "-2024-02-29T12:30:00Z",
    "2024-02-29T12:30:00,5Z",
    "٢٠٢٤-02-29T12:30:00Z", "2024-02-29T12:30:00+010", "2024-02-29T12:30:00.5",
    "2024/02/29T12:30:00Z",
  ])
  func `issue 28.6: what has another form is refused`(text: String) {
    #expect(throws: DateText.Problem.form) { try DateText.seconds(text) }
  }
}
