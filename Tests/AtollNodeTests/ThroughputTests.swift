import AtollVocabulary
import Testing

@testable import AtollNode

@Suite struct ThroughputTests {
  private static func second(_ seconds: Double) -> Instant {
    Instant(nanoseconds: UInt64(seconds * 1e9) + 7_000_000_000)
  }

  @Test func `what came is counted over the time in which it came`() throws {
    var pace = Throughput()
    #expect(pace.perSecond(at: Self.second(0)) == nil)
    for tenth in 0..<50 { pace.add(20, at: Self.second(Double(tenth) / 10)) }
    let found = try #require(pace.perSecond(at: Self.second(5)))
    #expect((190...210).contains(found))
  }

  @Test func `a single burst counts as if it took a second`() {
    var pace = Throughput()
    pace.add(500, at: Self.second(0))
    #expect(pace.perSecond(at: Self.second(0)) == 500)
    #expect(pace.perSecond(at: Self.second(5)) == 100)
  }

  @Test func `what is long ago is forgotten, and nothing is kept for it`() {
    var pace = Throughput()
    for second in 0..<1000 { pace.add(10, at: Self.second(Double(second))) }
    pace.add(0, at: Self.second(1005))
    #expect(pace.perSecond(at: Self.second(1000 + Double(Limits.throughputSeconds))) == nil)
    pace.add(30, at: Self.second(2000))
    #expect(pace.perSecond(at: Self.second(2001)) == 30)
  }
}
