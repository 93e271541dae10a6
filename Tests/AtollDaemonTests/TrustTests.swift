import AtollNode
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// Real daemons over TLS, and the commands by which they get to know each other.
@Suite struct TrustTests {
  @Test func `issue 28.22: strangers wait on both sides, and exchange once both were let in`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder, ["--peer", a.address])
      let waitingAtA = try await a.status { $0.pending != nil }
      let waitingAtB = try await b.status { $0.pending != nil }
      #expect(waitingAtA.pending?.first?.identity == waitingAtB.identity)
      #expect(waitingAtB.pending?.first?.identity == waitingAtA.identity)
      let identityOfA = try #require(waitingAtA.identity)
      #expect(try await OutsideProgram.atoll("identity", a.store).text == identityOfA + "\n")

      let name = try #require(waitingAtB.pending?.first?.name)
      let accepted = try await OutsideProgram.atoll(
        "peer", "accept", b.store, name, "--as", "alpha")
      #expect(accepted.text == "write  \(identityOfA)  alpha\n")
      // issue 28.22: whoever is in the roster does not wait, whatever the daemon last wrote.
      let admitted = try await OutsideProgram.atoll("peer", "list", b.store)
      #expect(admitted.text == "write  \(identityOfA)  alpha\n")
      _ = try await b.status { $0.peers.first?.lastError?.contains("ask its operator") == true }
      let short = String(try #require(waitingAtB.identity).prefix(7)).lowercased()
      _ = try await OutsideProgram.atoll("peer", "accept", a.store, short)
      let linked = try await b.status { $0.peers.first?.isConnected == true }
      #expect(linked.peers.first?.name == "alpha")
      #expect(linked.peers.first?.identity == identityOfA)
      try await write("hello", at: a, reaching: b)

      // Whoever is removed is cut off at once.
      let removed = try await OutsideProgram.atoll("peer", "remove", b.store, "alpha")
      #expect(removed.exitCode == 0)
      _ = try await a.status(within: .seconds(5)) { $0.peers.allSatisfy { !$0.isConnected } }
      let list = try await OutsideProgram.atoll("peer", "list", b.store)
      #expect(!list.text.contains("write"))
    }
  }

  /// Names the replica at `here` and waits until that is seen `there`.
  private func write(_ name: String, at here: SecureDaemon, reaching there: SecureDaemon)
    async throws
  {
    let author = try replica(of: here)
    let run = try await OutsideProgram.atoll("name", here.store, name)
    try #require(run.exitCode == 0, "\(run.text)")
    let file = try here.file()
    let written = try file.appliedVector().entries.first { "\($0.author)" == author }
    file.close()
    let sequence = try #require(written).sequence.rawValue
    _ = try await there.status { $0.applied[author].map { $0 >= sequence } ?? false }
  }

  @Test func `a code lets two nodes get to know each other, once`() async throws {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      let code = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      let paired = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      #expect(paired.exitCode == 0, "\(paired.text)")
      let there = try await b.status { $0.peers.first?.isConnected == true }
      #expect(there.peers.first?.address == a.address)
      try await write("hello", at: a, reaching: b)

      let again = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      #expect(again.exitCode == 1)
      #expect(again.text.contains("wrong, used or too old"))
    }
  }

  @Test func `replicas are compared over an encrypted link once the nodes know each other`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      func compare() async throws -> OutsideProgram {
        try await OutsideProgram.atoll("verify", b.store, "--against", a.address, "--tls")
      }
      let strange = try await compare()
      #expect(strange.exitCode == 1)
      #expect(strange.text.contains("which is not in this store's roster"), "\(strange.text)")

      let code = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      _ = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      try await write("hello", at: a, reaching: b)
      let equal = try await compare()
      #expect(equal.exitCode == 0 && equal.text.hasPrefix("equal: "), "\(equal.text)")

      // The other side's roster counts as well.
      _ = try await OutsideProgram.atoll(
        "peer", "remove", a.store, String(try IdentityFile(b.key).open().identity.shortDescription))
      let removed = try await compare()
      #expect(removed.exitCode == 1)
      #expect(removed.text.contains("ask its operator"), "\(removed.text)")
    }
  }

  @Test func `issue 28.18: a stranger who guesses does not use up a code, nor guess on and on`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      let stranger = try await SecureDaemon("stranger", in: folder)
      let right = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      let identity = try IdentityFile(a.key).open().identity
      let wrong = try #require(PairingCode(of: identity, secret: [0, 0, 0, 0, 0]))
      func attempt(_ code: String, by other: SecureDaemon) async throws -> OutsideProgram {
        try await OutsideProgram.atoll("pair", other.store, code, a.address)
      }
      for _ in 0..<3 {
        let run = try await attempt(wrong.description, by: stranger)
        #expect(run.exitCode == 1)
        #expect(run.text.contains("wrong, used or too old"), "\(run.text)")
      }
      let run = try await attempt(String(right), by: b)
      #expect(run.exitCode == 0, "\(run.text)")
      for _ in 4..<Limits.pairingAttempts {
        let run = try await attempt(wrong.description, by: stranger)
        #expect(run.text.contains("wrong, used or too old"), "\(run.text)")
      }
      let next = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      let late = try await attempt(String(next), by: stranger)
      #expect(late.exitCode == 1)
      #expect(late.text.contains("codes were tried from this address"), "\(late.text)")
      let file = try a.file()
      defer { file.close() }
      #expect(try file.roster().map(\.identity) == [try IdentityFile(b.key).open().identity])
    }
  }

  @Test func `a code of another node is not shown to the one that answers`() async throws {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      let c = try await SecureDaemon("c", in: folder)
      let code = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      let wrong = try await OutsideProgram.atoll("pair", b.store, String(code), c.address)
      #expect(wrong.exitCode == 1)
      #expect(wrong.text.contains("did not make this code"), "\(wrong.text)")
      // The code is still good where it was made.
      let right = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      #expect(right.exitCode == 0, "\(right.text)")
    }
  }

  @Test func `a mistyped code, and a mistyped identity, are noticed before anybody is asked`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let code = Array(try await OutsideProgram.atoll("pair", a.store).text.dropLast())
      var typed = code
      typed[0] = code[0] == "7" ? "8" : "7"
      let run = try await OutsideProgram.atoll("pair", a.store, String(typed), a.address)
      #expect(run.exitCode == 1)
      #expect(run.text.contains("is no pairing code"))
      let identity = try #require(a.status()?.identity)
      let swapped = String(identity.reversed())
      let added = try await OutsideProgram.atoll("peer", "add", a.store, "x", swapped)
      #expect(added.exitCode == 1)
      #expect(added.text.contains("is no identity"))
    }
  }

  /// Has each let the other in, the first without an address.
  private func introduce(
    _ a: SecureDaemon, _ b: SecureDaemon, role: PeerRole = .write
  ) throws {
    let identities = try [a, b].map { try IdentityFile($0.key).open().identity }
    let files = try [a.file(), b.file()]
    defer { for file in files { file.close() } }
    try files[0].admit(RosterEntry(identity: identities[1], name: "b", role: role))
    try files[1].admit(RosterEntry(identity: identities[0], name: "a", addresses: [a.address]))
  }

  /// The replica that a daemon serves, as its status names authors.
  private func replica(of daemon: SecureDaemon) throws -> String {
    String(try #require(daemon.status()?.replica))
  }

  @Test(arguments: [PeerRole.read, .relay])
  func `who may not write gets everything, is told, and writes once it may`(
    role: PeerRole
  ) async throws {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      try introduce(a, b, role: role)
      _ = try await b.status { $0.peers.first?.isConnected == true }
      try await write("alpha", at: a, reaching: b)
      let told = try await b.status { $0.peers.first?.declined != nil }
      let author = try replica(of: b)
      #expect(told.peers.first?.declined?.hasPrefix(author) == true)
      #expect(a.status()?.applied[author] == nil)
      try introduce(a, b, role: .write)
      _ = try await a.status { $0.applied[author] != nil }
      _ = try await b.status { $0.peers.first?.declined == nil }
    }
  }

  @Test func `what a reader wrote is not taken from others either, who are told, and tell it`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let relay = try await SecureDaemon("relay", in: folder)
      let reader = try await SecureDaemon("reader", in: folder)
      try introduce(a, relay)
      try introduce(relay, reader)
      // The first changeset of the reader names its author.
      let author = try replica(of: reader)
      _ = try await a.status { $0.applied[author] != nil }
      let file = try a.file()
      defer { file.close() }
      let identity = try IdentityFile(reader.key).open().identity
      try file.admit(RosterEntry(identity: identity, name: "reader", role: .read))
      // The status of a node follows what it sends by up to a quarter of a second.
      let announced = try await reader.status { $0.applied[author] != nil }
      let before = try #require(announced.applied[author])
      try await write("reader", at: reader, reaching: relay)
      let told = try await relay.status { status in
        status.peers.contains { $0.declined?.hasPrefix(author) == true }
      }
      #expect(try #require(told.applied[author]) > before)
      let declining = String(try replica(of: a).prefix(8))
      let heard = try await reader.status { $0.peers.first?.declined != nil }
      #expect(heard.peers.first?.declined?.hasPrefix(author) == true)
      #expect(heard.peers.first?.declined?.contains("roster of replica \(declining)") == true)
      try await write("alpha", at: a, reaching: reader)
      #expect(a.status()?.applied[author] == before)
    }
  }

  @Test func `issue 32: a daemon goes on with another key of its replica, and is let in with it`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder, ["--peer", a.address])
      let code = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      _ = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      try await write("before", at: b, reaching: a)
      let former = try replica(of: b)
      let rotated = try await OutsideProgram.atoll("identity", "rotate", b.store)
      #expect(rotated.exitCode == 0, "\(rotated.text)")
      // The status follows by up to a quarter of a second.
      _ = try await b.status { $0.replica != former }
      try await write("after", at: b, reaching: a)
      try await write("alpha", at: a, reaching: b)
      #expect(a.status()?.applied[former] != nil)
    }
  }

  @Test func `issue 28.4: a clock is repaired only while a peer is linked, unless told otherwise`()
    async throws
  {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      let file = try StoreFile.open(
        b.store,
        options: StoreOptions(
          mayCreate: false,
          wallClock: {
            WallTime(milliseconds: SystemClock.wallTime().milliseconds + 3_600_000)
          }))
      _ = try file.setReplicaName("an hour ahead")
      file.close()
      let refused = try await OutsideProgram.atoll("clock", "repair", b.store)
      #expect(refused.exitCode == 1)
      #expect(refused.text.contains("no peer is linked"), "\(refused.text)")
      let code = try await OutsideProgram.atoll("pair", a.store).text.dropLast()
      _ = try await OutsideProgram.atoll("pair", b.store, String(code), a.address)
      _ = try await b.status { $0.peers.contains(where: { $0.isConnected }) }
      let repaired = try await OutsideProgram.atoll("clock", "repair", b.store)
      #expect(repaired.exitCode == 0, "\(repaired.text)")
      #expect(repaired.text.hasPrefix("reissued"), "\(repaired.text)")
      try await write("right again", at: b, reaching: a)
    }
  }

  @Test func `another node at a peer's address is told nothing, and named`() async throws {
    try await withFolder { folder in
      let a = try await SecureDaemon("a", in: folder)
      let b = try await SecureDaemon("b", in: folder)
      let other = try Credentials(makingKeyOf: "other").identity
      let file = try b.file()
      defer { file.close() }
      try file.admit(RosterEntry(identity: other, name: "alpha", addresses: [a.address]))
      let status = try await b.status { $0.peers.first?.lastError != nil }
      let identity = try IdentityFile(a.key).open().identity
      let error = try #require(status.peers.first?.lastError)
      #expect(error.contains("\(identity)"))
      #expect(error.contains("the roster expects alpha (\(other))"))
    }
  }

  @Test func `the commands find the key of a daemon that keeps it elsewhere`() async throws {
    try await withFolder { folder in
      let daemon = try await SecureDaemon("a", in: folder, ["--identity", folder + "/key"])
      let identity = try IdentityFile(folder + "/key").open().identity
      let status = try await daemon.status { $0.identity != nil }
      #expect(status.identity == "\(identity)")
      #expect(try await OutsideProgram.atoll("identity", daemon.store).text == "\(identity)\n")
      #expect(!FileManager.default.fileExists(atPath: daemon.key))
    }
  }

  @Test func `a key that others can read ends the daemon before it listens`() async throws {
    try await withFolder { folder in
      let path = folder + "/atoll-identity.pem"
      try Data(try Credentials(makingKeyOf: "test").pem()).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o644)
      let daemon = try DaemonProcess(
        ["--store", folder + "/s.atoll", "--listen", "127.0.0.1:0"], in: folder)
      #expect(try await daemon.ended.value().exitCode == 78)
      #expect(daemon.errors.contains("chmod 600 \(path)"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/s.atoll"))
    }
  }
}
