import AtollEventLoop
import Foundation
import LoopTestKit
import Testing

/// Real `atolld` processes.
@Suite struct DaemonTests {
  @Test func `the daemon may have as many connections as the system lets it`() async throws {
    try await withFolder { folder in
      let program = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("atolld").path
      let run = try await OutsideProgram.run(
        """
        ulimit -S -n 64
        "$1" --store "$2/s.atoll" --create yes --listen 127.0.0.1:0 --port-file "$2/port" & child=$!
        for try in $(seq 600); do if [ -s "$2/port" ]; then break; fi; sleep 0.05; done
        grep "Max open files" /proc/$child/limits
        kill $child && wait $child
        """, [program, folder])
      let line = run.text.split(separator: "\n").first { $0.contains("Max open files") }
      let words = try #require(line, "\(run.text)").split(whereSeparator: \.isWhitespace)
      #expect(words.count > 4 && words[3] == words[4] && words[3] != "64", "\(words)")
      #expect(run.exitCode == 0)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal stops the daemon in order, within two seconds`(signal: Int32) async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0"], in: folder)
      _ = try await daemon.port()
      daemon.send(signal)
      let ended = try await daemon.ended.value(within: .seconds(2))
      #expect(ended.exitCode == 0)
      #expect(!ended.isBySignal)
      #expect(!FileManager.default.fileExists(atPath: folder + "/s.atoll-socket"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/s.atoll-status"))
    }
  }

  @Test func `the port file has the bound port, and goes with the daemon`() async throws {
    try await withFolder { folder in
      let file = folder + "/port"
      let daemon = try DaemonProcess(
        [
          "--store", "s.atoll", "--data", folder, "--listen", "127.0.0.1:0", "--port-file", file,
        ], in: folder)
      let port = try await daemon.port()
      try await withLoop { place in
        let written = Promise<Bool>()
        try await place.run { place throws(EventLoopError) in
          let isWritten = { (try? String(contentsOfFile: file, encoding: .utf8)) == "\(port)\n" }
          _ = try FileWatch(path: folder, loop: place.loop) { _ in
            if isWritten() { written.keep(true) }
          }
          if isWritten() { written.keep(true) }
        }
        #expect(try await written.value())
      }
      daemon.send(SIGTERM)
      _ = try await daemon.ended.value()
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  @Test func `a second daemon on a store is refused with the name and process of the first`()
    async throws
  {
    try await withFolder { folder in
      let arguments = ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0"]
      let first = try DaemonProcess(arguments, in: folder)
      _ = try await first.port()
      let second = try DaemonProcess(arguments, in: folder)
      let ended = try await second.ended.value()
      #expect(ended.exitCode == 69)
      let words = "atolld (process \(first.processID)) serves it already"
      #expect(second.errors.contains(words))
    }
  }

  @Test func `a daemon killed outright is replaced by the next at once`() async throws {
    try await withFolder { folder in
      let arguments = ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0"]
      let first = try DaemonProcess(arguments, in: folder)
      _ = try await first.port()
      first.send(SIGKILL)
      #expect(try await first.ended.value().isBySignal)
      let second = try DaemonProcess(arguments, in: folder)
      _ = try await second.port()
    }
  }

  @Test func `a port that is taken ends the daemon with the address and what to do`() async throws {
    try await withFolder { folder in
      let first = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--listen", "127.0.0.1:0"], in: folder)
      let port = try await first.port()
      let second = try DaemonProcess(
        [
          "--store", folder + "/b.atoll", "--listen", "127.0.0.1:\(port)",
        ], in: folder)
      #expect(try await second.ended.value().exitCode == 69)
      let errors = second.errors
      #expect(errors.contains("listening on 127.0.0.1:\(port) failed"))
      #expect(errors.contains("choose another port"))
    }
  }

  @Test func `a file that is no store ends the daemon and is left as it was`() async throws {
    try await withFolder { folder in
      let path = folder + "/s.atoll"
      let text = String(repeating: "This is not a database. ", count: 100)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      let daemon = try DaemonProcess(["--store", path, "--listen", "127.0.0.1:0"], in: folder)
      #expect(try await daemon.ended.value().exitCode == 74)
      #expect(daemon.errors.contains(path))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test func `a flag that does not exist ends the daemon with the usage`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(["--stoer", "x"], in: folder)
      let ended = try await daemon.ended.value()
      #expect(ended.exitCode == 64)
    }
  }
}
