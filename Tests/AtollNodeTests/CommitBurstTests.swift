import AtollEventLoop
import AtollVocabulary
import LoopTestKit
import Testing

@testable import AtollNode

@Suite struct CommitBurstTests {
  @Test func `a commit that comes alone is looked for at once`() async throws {
    try await withLoop { place in
      let looks = await place.run { place in
        var looks = 0
        let burst = CommitBurst(loop: place.loop) { looks += 1 }
        burst.announced()
        burst.close()
        return looks
      }
      #expect(looks == 1)
    }
  }

  @Test func `those that follow at once share one look, after the last of them`() async throws {
    try await withLoop { place in
      let looks = Promise<[Int]>()
      await place.run { place in
        var announced = 0
        var seen: [Int] = []
        let burst = CommitBurst(loop: place.loop) {
          seen.append(announced)
          if seen.count == 2 { looks.keep(seen) }
        }
        for _ in 0..<100 {
          announced += 1
          burst.announced()
        }
        place.keep(burst)
      }
      let announcedAtLook = try await looks.value()
      #expect(announcedAtLook == [1, 100])
    }
  }

  @Test func `a burst that goes on is looked for less and less often`() {
    var pace = CommitPace()
    var now = Instant(nanoseconds: 0)
    var answers: [CommitPace.Answer] = []
    for _ in 0..<7 {
      for _ in 0..<20 {
        now = now.advanced(by: .microseconds(150))
        let answer = pace.announced(at: now)
        if answer != .wait { answers.append(answer) }
      }
      pace.gathered()
    }
    #expect(
      answers == [.look] + [1, 2, 4, 8, 8, 8, 8].map { .gather(.milliseconds($0)) })
    now = now.advanced(by: .milliseconds(1))
    #expect(pace.announced(at: now) == .look)
    #expect(pace.announced(at: now) == .gather(.milliseconds(1)))
  }

  @Test func `who writes again when a peer has answered is never kept waiting`() {
    var pace = CommitPace()
    for millisecond in 1...100 {
      let now = Instant(nanoseconds: 0).advanced(by: .microseconds(500 * millisecond))
      #expect(pace.announced(at: now) == .look)
    }
  }
}
