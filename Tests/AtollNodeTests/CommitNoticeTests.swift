import AtollStorage
import LoopTestKit
import Testing

/// Two applications at one store that no node serves.
@Suite struct CommitNoticeTests {
  /// Soon if it comes alone; one of many waits for those that follow.
  @Test(arguments: [(Duration.milliseconds(100), 8), (.zero, 50)])
  func `without a node, commits of another process are noticed`(
    pause: Duration, within milliseconds: Int
  ) async throws {
    try await withFolder { folder in
      let writer = try TestApplication(folder + "/s.atoll")
      let reader = try TestApplication(folder + "/s.atoll")
      var delays: [Duration] = []
      for number in 0..<21 {
        try await Task.sleep(for: pause)
        let start = ContinuousClock.now
        try writer.write([number], isAnnounced: false)
        try await reader.wait(for: try writer.file.appliedVector())
        delays.append(ContinuousClock.now - start)
      }
      let median = delays.sorted()[delays.count / 2]
      #expect(median <= .milliseconds(milliseconds), "\(delays)")
    }
  }
}
