import Foundation
import TestKit
import Testing

/// The studio in Chromium, on three real daemons; `Pages/studio.py` has the tests, a function each.
struct BrowserTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Pages/studio.py")
  private static let repository = page.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let isInstalled = ["chromium", "chromedriver", "python3"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  /// `ATOLL_SCREENSHOTS` is a folder for a picture of each page, light and dark.
  @Test(
    .enabled(if: isInstalled, "chromium, chromium-driver and python3-selenium are missing"),
    .timeLimit(.minutes(5)))
  func `every page of the studio does what it promises in Chromium`() async throws {
    // The programs stand beside the one that runs the tests.
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let binaries = URL(fileURLWithPath: own).deletingLastPathComponent().path
    let screenshots = ProcessInfo.processInfo.environment["ATOLL_SCREENSHOTS"]
    let (lines, code) = try await ProgramOutput.lines(
      of: "/usr/bin/python3",
      [Self.page.path, binaries] + (screenshots.map { [$0] } ?? []), in: Self.repository)
    for line in lines { print(line) }
    for line in lines where line.hasPrefix("failed ") { Issue.record("\(line)") }
    #expect(code == 0, "\(lines.suffix(5))")
    #expect(lines.contains { $0.hasPrefix("passed ") })
  }
}
