import Foundation
import Testing

/// Stories of several nodes, each a text file: commands, `----`, and what comes of them.
///
/// `ATOLL_RETELL=1 swift test --filter StoryTests` writes what comes into the files; read the
/// difference before you keep it.
@Suite struct StoryTests {
  @Test(arguments: try Self.names())
  func `a story goes as it is told`(name: String) throws {
    let file = Self.folder.appending(path: name)
    let told = try String(contentsOf: file, encoding: .utf8)
    let found = try retell(told)
    if ProcessInfo.processInfo.environment["ATOLL_RETELL"] != nil {
      try found.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(found == told)
    }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Stories")

  private static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".txt") }.sorted()
  }

  /// The story with the outcomes that its commands have.
  private func retell(_ story: String) throws -> String {
    var world = StoryWorld()
    let scenes = story.split(separator: "\n\n").map { scene in
      scene.split(separator: "\n").map(String.init)
    }
    let retold = try scenes.map { lines -> String in
      let commands = lines.prefix { $0 != "----" }
      guard commands.contains(where: { !$0.hasPrefix("#") }) else {
        return lines.joined(separator: "\n")
      }
      var outcome: [String] = []
      for command in commands where !command.hasPrefix("#") {
        outcome += try world.play(command)
      }
      if outcome.isEmpty { outcome = ["nothing"] }
      return (commands + ["----"] + outcome).joined(separator: "\n")
    }
    return retold.joined(separator: "\n\n") + "\n"
  }
}
