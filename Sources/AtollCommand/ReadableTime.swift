import Foundation

/// A hybrid time as a person reads it: date and time in UTC to the millisecond.
struct ReadableTime {
  let text: String

  /// Takes it as reports have it: milliseconds since 1970 and a counter, joined by a plus sign.
  init(_ time: String) {
    guard let milliseconds = UInt64(time.prefix { $0 != "+" }) else {
      text = time
      return
    }
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    text =
      date.formatted(
        .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: true)
          .timeSeparator(.colon)) + "Z"
  }
}
