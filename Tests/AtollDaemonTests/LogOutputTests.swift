import Foundation
import Logging
import LoopTestKit
import Testing

@testable import AtollDaemon

@Suite struct LogOutputTests {
  private func line(_ message: String) -> LogLine {
    LogLine(
      time: Date(timeIntervalSince1970: 0.25), level: .warning, message: message,
      metadata: ["store": "/a.atoll", "author": "x.y", "sequence": "7"])
  }

  @Test func `a line of text has time, level, message and metadata in order`() {
    #expect(
      line("refused").text
        == "1970-01-01T00:00:00.250Z warning: refused [author=x.y sequence=7 store=/a.atoll]")
  }

  @Test func `a line of JSON has the same members each on its own`() throws {
    let members = try JSONDecoder().decode(
      [String: String].self, from: Data(line("said \"no\"\nand left").json.utf8))
    #expect(
      members == [
        "time": "1970-01-01T00:00:00.250Z", "level": "warning",
        "message": "said \"no\"\nand left", "store": "/a.atoll", "author": "x.y", "sequence": "7",
      ])
    #expect(!line("a\nb").json.contains("\n"))
  }

  @Test func `what a peer says cannot begin a line of the log`() {
    #expect(line("agent x\n1970 info: all is well\u{1B}[0m").text.contains("\n") == false)
    #expect(!line("\u{1B}[0m").text.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `level and format change for loggers that are there already`() async throws {
    try await withFolder { folder in
      let path = folder + "/log"
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let file = try #require(FileHandle(forWritingAtPath: path))
      let output = LogOutput(to: file, isJournal: true)
      let logger = output.logger
      logger.debug("not told")
      logger.info("one")
      output.change(level: .debug, format: .json)
      logger.debug("two")
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].hasPrefix("<6>") && lines[0].hasSuffix(" info: one"))
      #expect(lines[1].hasPrefix("<7>{\"level\":\"debug\",\"message\":\"two\""))
    }
  }

  /// Tells whether each line is a JSON object.
  private func isJSON(_ text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in
      (try? JSONDecoder().decode([String: String].self, from: Data(line.utf8))) != nil
    }
  }

  @Test func `issue 28.22: where lines are JSON every line is, from the start to the end`()
    async throws
  {
    try await withFolder { folder in
      let arguments = [
        "--store", folder + "/a.atoll", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
        "--log-format", "json",
      ]
      let daemon = try DaemonProcess(arguments, in: folder)
      _ = try await daemon.wait { daemon.output.contains("listening on 127.0.0.1:") ? true : nil }
      #expect(daemon.output.contains("metrics at http://127.0.0.1:"))
      // Why another one does not start.
      let second = try DaemonProcess(arguments, in: folder)
      #expect(try await second.ended.value().exitCode == 69)
      let wrong = try DaemonProcess(arguments + ["--memory", "much"], in: folder)
      #expect(try await wrong.ended.value().exitCode == 78)
      daemon.send(SIGTERM)
      _ = try await daemon.ended.value()
      for process in [daemon, second, wrong] {
        #expect(isJSON(process.output) && isJSON(process.errors), "\(process.errors)")
        #expect(process.errors.hasSuffix("\n"))
      }
    }
  }

  @Test func `issue 28.18: what turns the direction of writing is shown as an escape`() {
    let forged = line("agent \u{202E}txet\u{2066}")
    #expect(forged.text.contains("agent \\u{202E}txet\\u{2066}"))
    #expect(forged.json.contains("agent \\u202etxet\\u2066"))
  }
}
