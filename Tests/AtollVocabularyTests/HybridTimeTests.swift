import AtollVocabulary
import Testing

@Suite struct HybridTimeTests {
  @Test func `48 bits of milliseconds lie above 16 bits of counter`() {
    let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 7)
    #expect(time.rawValue == 1_700_000_000_000 * 65_536 + 7)
    #expect(time.milliseconds == 1_700_000_000_000)
    #expect(time.counter == 7)
    #expect(time.description == "1700000000000+7")
  }

  @Test func `the wall clock is taken where it is ahead`() {
    let time = HybridTime(milliseconds: 100, counter: 9)
    #expect(time.next(at: WallTime(milliseconds: 101)) == HybridTime(milliseconds: 101))
  }

  @Test func `the counter grows where the wall clock stands still or steps back`() {
    let time = HybridTime(milliseconds: 100, counter: 9)
    for wall in [Int64(100), 99, 0, -5, .min] {
      #expect(
        time.next(at: WallTime(milliseconds: wall)) == HybridTime(milliseconds: 100, counter: 10))
    }
  }

  @Test func `an overflowing counter carries into the milliseconds`() {
    let time = HybridTime(milliseconds: 100, counter: .max)
    #expect(time.next(at: WallTime(milliseconds: 100)) == HybridTime(milliseconds: 101))
  }

  @Test func `instants never wrap`() {
    let late = Instant(nanoseconds: .max - 1)
    #expect(late.advanced(by: .seconds(1)).nanoseconds == .max)
    #expect(late.advanced(by: .seconds(-1)) == late)
    #expect(Instant(nanoseconds: 5).duration(since: Instant(nanoseconds: 9)) == .zero)
    #expect(Instant(nanoseconds: 9).duration(since: Instant(nanoseconds: 5)) == .nanoseconds(4))
  }
}
