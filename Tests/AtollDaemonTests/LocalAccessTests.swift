import AtollEventLoop
import AtollNode
import AtollTransport
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// The access that other users of this machine get from a daemon on loopback without keys: nothing.
///
/// Needs a second user, which only root can become.
@Suite(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
struct LocalAccessTests {
  /// A user that owns nothing.
  private static let stranger = 65_534

  /// Connects, says nothing, and prints what comes for two seconds or until the end.
  private static let client = """
    import socket, sys
    link = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
    link.settimeout(2)
    data = b""
    try:
        while True:
            part = link.recv(65536)
            if not part:
                break
            data += part
    except TimeoutError:
        pass
    print("got", data.hex())
    """

  private func answer(
    to user: Int, host: String = "127.0.0.1", from daemon: DaemonProcess
  ) async throws -> String {
    let run = try await OutsideProgram.run(
      "exec setpriv --reuid=$1 --clear-groups /usr/bin/env python3 -c \"$2\" \"$3\" \"$4\"",
      ["\(user)", Self.client, host, "\(try await daemon.port())"])
    let digits = try #require(run.text.split(separator: "\n").last?.dropFirst(4), "\(run.text)")
    let bytes = try #require(Hexadecimal.bytes(digits), "\(run.text)")
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: ["127.0.0.1", "[::1]", "[::]"])
  func `issue 28.17: another user of the machine is refused over loopback, with words`(
    address: String
  ) async throws {
    try await withFolder { folder in
      let isOpen = address == "[::]"
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--listen", "\(address):0"], in: folder)
      let host = address == "[::1]" ? "::1" : "127.0.0.1"
      let got = try await answer(to: Self.stranger, host: host, from: daemon)
      // On an address for other machines, links are secured, and the stranger has no key.
      #expect(isOpen ? got.isEmpty : got.contains("expected user 0"))
      #expect(isOpen || got.contains("belongs to user \(Self.stranger)"))
      #expect(!got.contains("atolld"), "a hello names the program")
      guard !isOpen else { return }
      try await daemon.said("a connection was refused: ")
      _ = try await answer(to: Self.stranger, host: host, from: daemon)
      #expect(
        daemon.errors.components(separatedBy: "a connection was refused: ").count == 2,
        "it is said once of each user")
    }
  }

  @Test func `issue 28.17: a flag that says so lets every user of the machine in`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0", "--any-local-user"],
        in: folder)
      // A node says hello when it has heard one, so that nothing comes, and nobody is sent away.
      let got = try await answer(to: Self.stranger, from: daemon)
      #expect(!got.contains("user"), "\(got)")
    }
  }

  @Test func `issue 28.17: a store is not shown to another user who listens at a peer's port`()
    async throws
  {
    try await withFolder { folder in
      chmod(folder, 0o755)
      let squatter = """
        import socket, sys
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        listener.settimeout(20)
        link, _ = listener.accept()
        link.settimeout(5)
        try:
            print("got", len(link.recv(65536)), flush=True)
        except Exception as error:
            print("got", error, flush=True)
        """
      let output = folder + "/squatter"
      async let run = OutsideProgram.run(
        "exec setpriv --reuid=\(Self.stranger) --clear-groups /usr/bin/env python3 -c \"$1\" > \"$2\"",
        [squatter, output])
      let port = try await Self.number(in: output)
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--peer", "127.0.0.1:\(port)"], in: folder)
      try await daemon.said("it belongs to user \(Self.stranger), expected user 0")
      _ = try await run
      let text = try String(contentsOfFile: output, encoding: .utf8)
      #expect(text.contains("got 0"), "\(text)")
    }
  }

  /// The number on the first line of a file, once it is there.
  private static func number(in path: String) async throws -> Int {
    let clock = ContinuousClock()
    for _ in 0..<200 {
      if let text = try? String(contentsOfFile: path, encoding: .utf8), text.hasSuffix("\n"),
        let number = text.split(separator: "\n").first.flatMap({ Int($0) })
      {
        return number
      }
      try await clock.sleep(for: .milliseconds(50))
    }
    throw DaemonProcess.NotStarted(code: 1)
  }

  @Test func `issue 28.17: without keys another user is refused what verify --against asks`()
    async throws
  {
    try await withFolder { folder in
      chmod(folder, 0o755)
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0"], in: folder)
      let port = try await daemon.port()
      let program = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("atoll").path
      let copy = folder + "/atoll"
      try FileManager.default.copyItem(atPath: program, toPath: copy)
      let own = folder + "/own"
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
      chown(own, uid_t(Self.stranger), gid_t(Self.stranger))
      let run = try await OutsideProgram.run(
        """
        cd "$3"; setpriv --reuid=$1 --clear-groups "$2" init s.atoll > /dev/null
        exec setpriv --reuid=$1 --clear-groups "$2" verify s.atoll --against 127.0.0.1:$4
        """, ["\(Self.stranger)", copy, own, "\(port)"])
      #expect(run.exitCode == 1, "\(run.text)")
      // Both sides refuse; the other may be the quicker one.
      #expect(run.text.contains("within this machine: "), "\(run.text)")
    }
  }
}
