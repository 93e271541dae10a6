import AtollVocabulary
import Foundation

/// A hybrid time as a person reads it: date and time in UTC to the millisecond.
struct ReadableTime {
  let text: String

  init(_ time: HybridTime) {
    let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    text =
      date.formatted(
        .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: true)
          .timeSeparator(.colon)) + "Z"
  }
}
