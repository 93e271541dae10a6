import AtollEventLoop
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
}
