import Testing

@testable import AtollCluster

// The programs in `Snippets/`, whose code the documentation shows, run as they are.
@Suite struct SnippetTests {
  @Test func `projecting your own types works as its page says`() throws {
    #expect(
      try lines(of: "ProjectingYourOwnTypes") == [
        "[\"Kunsthaus\"]",
        "[30.0, 40.0]",
        "Museum with name Broken: timeZone is 'Mars/Olympus'",
        "Mars/Olympus false",
      ])
  }

  @Test func `simulating your own models works as its page says`() throws {
    #expect(try lines(of: "SimulatingYourOwnModels") == ["100 seeds"])
  }

  @Test func `knowing what is safe works as its page says`() throws {
    #expect(
      try lines(of: "KnowingWhatIsSafe") == [
        "no replica is called backup; `atoll peers` lists those that exist",
        "unnamed connected", "paused",
      ])
  }

  /// What a snippet prints; it must end by itself, without an error.
  private func lines(of name: String) throws -> [String] {
    let program = try Program(Program.sibling(name), [], name: name, cleanUp: CleanUp())
    let (code, lines) = try program.end(within: .seconds(60))
    #expect(code == 0, "\(lines)")
    return lines
  }
}
