import AtollNode
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// The answers of a secured `atolld` to foreign clients: OpenSSL's own, and Python's.
@Suite struct ForeignClientTests {
  /// Connects with the key in a file, and prints what comes until a hello, or the end.
  private static let client = """
    import socket, ssl, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(sys.argv[2])
    context.set_alpn_protocols(["atoll/1"])
    data = b""
    try:
        raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
        link = context.wrap_socket(raw)
        while data[12:13] != b"\\x01":
            part = link.recv(65536)
            if not part:
                break
            data += part
    except Exception as error:
        print("error", error)
    print("got", data.hex())
    """

  private static func answer(
    to key: String, from daemon: SecureDaemon
  ) async throws -> (text: String, bytes: [UInt8]) {
    let run = try await OutsideProgram.run(
      "exec python3 -c \"$1\" \"$2\" \"$3\"", [client, "\(daemon.port)", key])
    let digits = run.text.split(separator: "\n").last?.dropFirst(4) ?? ""
    return (run.text, Hexadecimal.bytes(digits) ?? [])
  }

  /// The kind of the first frame of a link; nil if none came.
  private static func kind(_ bytes: [UInt8]) -> UInt8? { bytes.dropFirst(12).first }

  /// Makes a key and a certificate with OpenSSL's program.
  private static func makeKey(_ path: String, days: Int, signedBy authority: String? = nil)
    async throws
  {
    let sign = authority.map { "-CA \($0) -CAkey \($0)" } ?? "-signkey \(path)"
    let run = try await OutsideProgram.run(
      """
      set -e; umask 077; openssl genpkey -algorithm ed25519 -out \(path)
      openssl req -new -key \(path) -subj /CN=foreign -out \(path).csr
      openssl x509 -req -in \(path).csr \(sign) -days \(days) -out \(path).crt
      cat \(path).crt >> \(path)
      """)
    try #require(run.exitCode == 0, "\(run.text)")
  }

  private static func makeAuthority(_ path: String) async throws {
    let run = try await OutsideProgram.run(
      """
      set -e; umask 077; openssl req -x509 -newkey ed25519 -nodes -keyout \(path) -subj /CN=own \
      -days 30 -out \(path).crt
      cat \(path).crt >> \(path)
      """)
    try #require(run.exitCode == 0, "\(run.text)")
  }

  private static func sClient(_ daemon: SecureDaemon, _ options: String) async throws -> String {
    try await OutsideProgram.run(
      "timeout 20 openssl s_client -connect \(daemon.address) -alpn atoll/1 \(options)"
    ).text
  }

  @Test func `who shows no certificate is refused`() async throws {
    try await withFolder { folder in
      let daemon = try await SecureDaemon("a", in: folder)
      let text = try await Self.sClient(daemon, "-tls1_3 -ign_eof")
      #expect(text.contains("alert certificate required"))
      #expect(daemon.status()?.pending == nil)
    }
  }

  @Test func `TLS 1.2 is refused`() async throws {
    try await withFolder { folder in
      let daemon = try await SecureDaemon("a", in: folder)
      #expect(try await Self.sClient(daemon, "-tls1_2").contains("alert protocol version"))
    }
  }

  @Test func `who wants to speak something else, or does not say what, is refused`() async throws {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: 30)
      let daemon = try await SecureDaemon("a", in: folder, admitting: [folder + "/key"])
      let key = "-cert \(folder)/key -key \(folder)/key -ign_eof"
      let other = try await OutsideProgram.run(
        "timeout 20 openssl s_client -connect \(daemon.address) -alpn h2 \(key)")
      #expect(other.text.contains("alert no application protocol"))
      let none = try await OutsideProgram.run(
        "timeout 20 openssl s_client -connect \(daemon.address) \(key)")
      #expect(!none.text.contains("atoll"))
    }
  }

  @Test func `an unknown key gets a goodbye and nothing else, and waits to be let in`()
    async throws
  {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: 30)
      let daemon = try await SecureDaemon("a", in: folder)
      let answer = try await Self.answer(to: folder + "/key", from: daemon)
      #expect(Self.kind(answer.bytes) == 2, "\(answer.text)")
      let length = answer.bytes.dropFirst(8).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      #expect(answer.bytes.count == 8 + 5 + length + 4)
      #expect(String(decoding: answer.bytes, as: UTF8.self).contains("atoll peer accept"))
      let identity = try IdentityFile(folder + "/key").open().identity
      let status = try await daemon.status { $0.pending != nil }
      #expect(status.pending?.map(\.identity) == [identity.description])
      #expect(status.pending?.first?.name == "foreign")

      // Let in, it is greeted at its next try; put out again, it is not.
      let file = try daemon.file()
      defer { file.close() }
      try file.admit(RosterEntry(identity: identity, name: "foreign"))
      _ = try await daemon.status { $0.pending == nil }
      #expect(Self.kind(try await Self.answer(to: folder + "/key", from: daemon).bytes) == 1)
      try file.revoke(identity)
      var again: UInt8?
      for _ in 0..<50 where again != 2 {
        again = Self.kind(try await Self.answer(to: folder + "/key", from: daemon).bytes)
      }
      #expect(again == 2)
    }
  }

  @Test func `an identity is what OpenSSL says of the key`() async throws {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: 30)
      let run = try await OutsideProgram.run(
        """
        openssl x509 -in \(folder)/key -noout -pubkey | openssl pkey -pubin -outform der \
        | openssl dgst -sha256 -r
        """)
      let bytes = try #require(Hexadecimal.bytes(run.text.prefix(64)))
      #expect(try IdentityFile(folder + "/key").open().identity == NodeIdentity(bytes: bytes))
    }
  }

  @Test func `a pinned certificate out of date is as good as any`() async throws {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: -1)
      let daemon = try await SecureDaemon("a", in: folder, admitting: [folder + "/key"])
      let answer = try await Self.answer(to: folder + "/key", from: daemon)
      #expect(Self.kind(answer.bytes) == 1, "\(answer.text)")
    }
  }

  @Test func `under an authority its certificates are taken until they are out of date`()
    async throws
  {
    try await withFolder { folder in
      try await Self.makeAuthority(folder + "/authority")
      try await Self.makeKey(folder + "/good", days: 30, signedBy: folder + "/authority")
      try await Self.makeKey(folder + "/old", days: -1, signedBy: folder + "/authority")
      try await Self.makeKey(folder + "/alone", days: 30)
      let keys = ["/good", "/old", "/alone"].map { folder + $0 }
      let daemon = try await SecureDaemon(
        "a", in: folder, admitting: keys, ["--authority", folder + "/authority.crt"])
      let good = try await Self.answer(to: keys[0], from: daemon)
      #expect(Self.kind(good.bytes) == 1, "\(good.text)")
      let old = try await Self.answer(to: keys[1], from: daemon)
      #expect(old.bytes.isEmpty)
      #expect(old.text.contains("certificate expired"), "\(old.text)")
      let alone = try await Self.answer(to: keys[2], from: daemon)
      #expect(alone.bytes.isEmpty)
      #expect(alone.text.contains("error"), "\(alone.text)")
    }
  }

  @Test func `garbage ends a connection, and the daemon goes on`() async throws {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: 30)
      let daemon = try await SecureDaemon("a", in: folder, admitting: [folder + "/key"])
      let run = try await OutsideProgram.run(
        "exec python3 -c \"$1\" \"$2\"",
        [
          """
          import random, socket, sys
          random.seed(7)
          for number in range(200):
              link = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
              head = [b"", b"\\x16\\x03\\x01", b"\\x89ATOLL\\r\\n", b"GET / HTTP/1.1\\r\\n"][number % 4]
              try:
                  link.sendall(head + random.randbytes(random.randrange(1, 4000)))
                  link.shutdown(socket.SHUT_WR)
                  while link.recv(65536):
                      pass
              except OSError:
                  pass
          print("done")
          """, "\(daemon.port)",
        ])
      #expect(run.text == "done\n")
      let answer = try await Self.answer(to: folder + "/key", from: daemon)
      #expect(Self.kind(answer.bytes) == 1, "\(answer.text)")
    }
  }

  @Test func `a slow handshake is given up after its time`() async throws {
    try await withFolder { folder in
      let daemon = try await SecureDaemon("a", in: folder)
      let run = try await OutsideProgram.run(
        "exec python3 -c \"$1\" \"$2\"",
        [
          """
          import socket, sys, time
          link = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
          start = time.monotonic()
          link.settimeout(0.25)
          hello = bytes.fromhex("16030100c8010000c40303") + bytes(200)
          for byte in hello:
              try:
                  link.sendall(bytes([byte]))
                  if not link.recv(1):
                      break
              except TimeoutError:
                  continue
              except OSError:
                  break
          print(time.monotonic() - start)
          """, "\(daemon.port)",
        ])
      let seconds = try #require(Double(run.text.trimmingCharacters(in: .newlines)))
      #expect((9...15).contains(seconds))
    }
  }

  @Test func `a thousand connections that say nothing keep nobody out, and most are ended`()
    async throws
  {
    try await withFolder { folder in
      try await Self.makeKey(folder + "/key", days: 30)
      let daemon = try await SecureDaemon("a", in: folder, admitting: [folder + "/key"])
      let run = try await OutsideProgram.run(
        "exec python3 -c \"$1\" \"$2\" \"$3\"",
        [
          """
          import select, socket, sys
          silent = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
                    for _ in range(1000)]
          \(Self.client)
          poll = select.poll()
          for link in silent:
              poll.register(link, select.POLLIN)
          print("ended", len(poll.poll(2000)))
          """, "\(daemon.port)", folder + "/key",
        ])
      let lines = run.text.split(separator: "\n")
      let greeting = try #require(lines.first { $0.hasPrefix("got ") })
      #expect(Self.kind(Hexadecimal.bytes(greeting.dropFirst(4)) ?? []) == 1, "\(run.text)")
      let ended = try #require(lines.last.flatMap { Int($0.dropFirst(6)) })
      #expect(ended >= 1000 - Limits.halfOpenLinks)
    }
  }
}
