import AtollVocabulary
import AtollWire
import Testing

@testable import AtollNode

@Suite struct PeerClockTests {
  private static func time(_ milliseconds: Int64) -> WallTime {
    WallTime(milliseconds: 1_000_000 + milliseconds)
  }

  /// A frame each way, begun at `start`, to a clock that is ahead.
  private static func exchange(
    _ clock: inout PeerClock, start: Int64, ahead: Int64, there: Int64, back: Int64
  ) -> Bool {
    let answered = ClockReading.Answered(
      sent: time(start), received: time(start + there + ahead))
    let answer = ClockReading(sent: time(start + there + 7 + ahead), answered: answered)
    return clock.record(answer, at: time(start + there + 7 + back))
  }

  @Test(arguments: [0, 1, -1, 3000, -288_000]) func `a clock is as far off as it is`(ahead: Int64) {
    var clock = PeerClock()
    #expect(clock.ahead == nil)
    let waits = Self.exchange(&clock, start: 0, ahead: ahead, there: 20, back: 20)
    #expect(clock.ahead == ahead)
    #expect(!waits)
  }

  @Test func `a first reading waits for an answer, which says when it came`() {
    var clock = PeerClock()
    #expect(clock.reading(at: Self.time(0)) == ClockReading(sent: Self.time(0)))
    let waits = clock.record(ClockReading(sent: Self.time(5)), at: Self.time(30))
    #expect(waits)
    #expect(clock.ahead == nil)
    #expect(
      clock.reading(at: Self.time(31))
        == ClockReading(
          sent: Self.time(31), answered: .init(sent: Self.time(5), received: Self.time(30))))
  }

  @Test func `of the last readings that counts which was under way for the shortest time`() {
    var clock = PeerClock()
    _ = Self.exchange(&clock, start: 0, ahead: 3000, there: 2, back: 2)
    _ = Self.exchange(&clock, start: 5000, ahead: 3000, there: 900, back: 2)
    #expect(clock.ahead == 3000)
    for round in 2..<(2 + Int64(Limits.clockReadings)) {
      _ = Self.exchange(&clock, start: 5000 * round, ahead: -40, there: 9, back: 9)
    }
    #expect(clock.ahead == -40)
  }

  @Test func `what two clocks say while one is set is no sample`() {
    var clock = PeerClock()
    let answered = ClockReading.Answered(sent: Self.time(5000), received: Self.time(5010))
    let late = ClockReading(sent: Self.time(5020), answered: answered)
    // The clock here was put back between.
    _ = clock.record(late, at: Self.time(1000))
    #expect(clock.ahead == nil)
    let early = ClockReading(sent: Self.time(0), answered: answered)
    _ = clock.record(early, at: Self.time(5030))
    #expect(clock.ahead == nil)
  }
}
