import AtollChanges
import AtollEventLoop
import AtollNode
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire
import Foundation
import Logging
import LoopTestKit
import Testing

/// Peers that a roster lets in, with keys of their own, and that do not keep to what they are.
@Suite struct HostileKeyTests {
  private static func author(_ number: UInt64) -> Author {
    Author(replica: ReplicaKey.test(number).replica, incarnation: Incarnation(9))
  }

  /// Serves a store that knows these keys, in these roles, and lends its port.
  private func serve(
    _ path: String, _ keys: [(Credentials, PeerRole)], in store: StoreID = testStoreID,
    _ body: (UInt16) async throws -> Void
  ) async throws {
    let file = try StoreFile.open(path, options: StoreOptions(storeID: store))
    for (place, (key, role)) in keys.enumerated() {
      try file.admit(RosterEntry(identity: key.identity, name: "peer \(place)", role: role))
    }
    file.close()
    let configuration = NodeConfiguration(
      stores: [path], storeID: store, listen: Endpoint(host: "127.0.0.1", port: 0),
      protection: .always, identityFile: path + "-key.pem", agent: "test node")
    let node = try Node(
      configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await run(node, body)
  }

  private func keys(_ count: Int) throws -> [Credentials] {
    try (0..<count).map { try Credentials(makingKeyOf: "peer \($0)") }
  }

  @Test func `issue 28.13: a hello's author belongs to the key that showed it first`() async throws
  {
    try await withFolder { folder in
      let keys = try keys(2)
      let path = folder + "/a"
      try await serve(path, keys.map { ($0, .write) }) { port in
        try await withLoop { place in
          let first = KeyedPeer(place)
          try await first.connect(to: port, with: keys[0], [KeyedPeer.hello(Self.author(1))])
          _ = try await first.frames { frames, _ in frames.contains(where: \.isHello) }
          _ = try await status(of: path) { $0.peers.contains { $0.isConnected } }
        }
        try await withLoop { place in
          let thief = KeyedPeer(place)
          // Another incarnation of the replica is the same replica.
          var author = Self.author(1)
          author.incarnation = Incarnation(10)
          try await thief.connect(to: port, with: keys[1], [KeyedPeer.hello(author)])
          let goodbye = try #require(try await thief.goodbye())
          #expect(goodbye.code == .stranger)
          #expect(goodbye.text.contains(keys[0].identity.description))
        }
        try await withLoop { place in
          // One key may speak for two replicas: a copy beside the file.
          let copy = KeyedPeer(place)
          try await copy.connect(to: port, with: keys[0], [KeyedPeer.hello(Self.author(2))])
          _ = try await status(of: path) { status in
            status.peers.contains { $0.isConnected && $0.replica == "\(Self.author(2))" }
          }
        }
      }
      let file = try StoreFile.open(path)
      #expect(
        try file.pinnedIdentities() == [
          Self.author(1).replica: keys[0].identity, Self.author(2).replica: keys[0].identity,
        ])
      file.close()
    }
  }

  /// The first changeset of an author that makes a thing.
  private static func changeset(
    _ number: UInt64, in store: StoreID = testStoreID
  ) -> (ChangesetID, Frame) {
    let author = author(number)
    let changeset = Changeset(
      author: author, sequence: .first,
      time: HybridTime(milliseconds: UInt64(SystemClock.wallTime().milliseconds)),
      declarations: [.class(ClassDeclaration(name: "Thing", isEmbedded: false, keyType: .int))],
      data: [
        .create(
          ObjectReference(
            class: ClassNumber(0), key: .int(Int64(number)), generation: .first), [])
      ])
    let bytes = changeset.encoded()
    let id = ChangesetID(
      author: author, sequence: .first, hash: ChainHash.origin(of: author).following(bytes))
    return (
      id,
      .changesets([
        ChangesetRun(
          author: author, first: .first, changesets: [bytes], headHash: id.hash,
          seal: ReplicaKey.test(number).seal(id, in: store))
      ])
    )
  }

  @Test(arguments: [PeerRole.relay, .read])
  func `issue 28.13: a relay or reader has nothing applied of an author that is not known`(
    role: PeerRole
  ) async throws {
    try await withFolder { folder in
      let keys = try keys(2)
      let path = folder + "/a"
      let (id, frame) = Self.changeset(7)
      try await serve(path, [(keys[0], role), (keys[1], .write)]) { port in
        try await withLoop { place in
          let peer = KeyedPeer(place)
          try await peer.connect(
            to: port, with: keys[0],
            [KeyedPeer.hello(Self.author(1), Holdings(heads: [id])), frame])
          if role == .relay {
            let told = try await status(of: path) { $0.peers.contains { $0.leftOut != nil } }
            let reason = told.peers.compactMap(\.leftOut).first ?? ""
            #expect(
              reason.contains("\(Self.author(7))") && reason.contains("\(LeavingOut.unknown)"))
            #expect(told.peers.contains { $0.isConnected })
          } else {
            _ = try await peer.frames { frames, _ in
              frames.contains { if case .declined = $0 { true } else { false } }
            }
          }
          let file = try StoreFile.open(path)
          #expect(try file.appliedVector()[Self.author(7)] == .none)
          file.close()
        }
        // Once the replica has shown its key on a link of its own, a relay may bring what it wrote.
        guard role == .relay else { return }
        try await withLoop { place in
          let own = KeyedPeer(place)
          try await own.connect(to: port, with: keys[1], [KeyedPeer.hello(Self.author(7))])
          _ = try await status(of: path) { status in
            status.peers.contains { $0.replica == "\(Self.author(7))" }
          }
        }
        try await withLoop { place in
          let peer = KeyedPeer(place)
          try await peer.connect(
            to: port, with: keys[0],
            [KeyedPeer.hello(Self.author(2), Holdings(heads: [id])), frame], wanted: [frame])
          _ = try await status(of: path) { $0.applied["\(Self.author(7))"] == 1 }
        }
      }
    }
  }

  @Test func `issue 28.13: what a replica's key may not write no relay brings`() async throws {
    try await withFolder { folder in
      let keys = try keys(2)
      let path = folder + "/a"
      let (id, frame) = Self.changeset(7)
      try await serve(path, [(keys[0], .relay), (keys[1], .read)]) { port in
        try await withLoop { place in
          let reader = KeyedPeer(place)
          try await reader.connect(to: port, with: keys[1], [KeyedPeer.hello(Self.author(7))])
          _ = try await status(of: path) { $0.peers.contains { $0.isConnected } }
          let relay = KeyedPeer(place)
          try await relay.connect(
            to: port, with: keys[0],
            [KeyedPeer.hello(Self.author(1), Holdings(heads: [id])), frame])
          let frames = try await relay.frames { frames, _ in
            frames.contains { if case .declined(Self.author(7), _) = $0 { true } else { false } }
          }
          let isEnded = frames.contains { $0.isGoodbye }
          #expect(!isEnded)
        }
      }
    }
  }

  @Test func `issue 32: in a store with owners a relay brings what was admitted, and nothing else`()
    async throws
  {
    try await withFolder { folder in
      let (path, key) = (folder + "/a", try keys(1)[0])
      let file = try StoreFile.open(path, options: StoreOptions(isOwned: true))
      let store = file.storeID
      // Nobody here has met author 7, and author 1 is the relay itself.
      for number in [1, 7] { try file.admit(Self.author(UInt64(number)).replica, as: .writer) }
      file.close()
      try await serve(path, [(key, .relay)], in: store) { port in
        try await withLoop { place in
          let made = [1, 7, 8].map { Self.changeset($0, in: store) }
          let relay = KeyedPeer(place)
          try await relay.connect(
            to: port, with: key,
            [KeyedPeer.hello(Self.author(1), Holdings(heads: made.map(\.0)), in: store)]
              + made.map(\.1))
          _ = try await status(of: path) {
            $0.applied["\(Self.author(1))"] == 1 && $0.applied["\(Self.author(7))"] == 1
          }
          let frames = try await relay.frames { frames, _ in
            frames.contains { if case .declined(Self.author(8), _) = $0 { true } else { false } }
          }
          let isEnded = frames.contains { $0.isGoodbye }
          #expect(!isEnded)
        }
        let file = try StoreFile.open(path)
        #expect(try file.appliedVector()[Self.author(8)] == .none)
        file.close()
      }
    }
  }

  @Test func `issue 32: a writer brings nothing in the name of another, however it is sealed`()
    async throws
  {
    try await withFolder { folder in
      let keys = try keys(2)
      let path = folder + "/a"
      try await serve(path, keys.map { ($0, .write) }) { port in
        let (id, frame) = Self.changeset(7)
        guard case .changesets(var runs) = frame else { return }
        let own = runs[0].seal
        let another = Self.changeset(8)
        guard case .changesets(let others) = another.1 else { return }
        let seals = [
          // Of its own key, of nobody's, and one that another changeset had.
          ReplicaKey.test(1).seal(id, in: testStoreID),
          Seal(own.publicKey + [UInt8](repeating: 0, count: 64)), others[0].seal,
          ReplicaKey.test(7).seal(id, in: StoreID(high: 1, low: 1)),
        ]
        for seal in seals {
          runs[0].seal = try #require(seal)
          let forged = Frame.changesets(runs)
          try await withLoop { place in
            let writer = KeyedPeer(place)
            try await writer.connect(
              to: port, with: keys[0],
              [KeyedPeer.hello(Self.author(1), Holdings(heads: [id])), forged])
            let goodbye = try #require(try await writer.goodbye())
            #expect(goodbye.code == .refused)
            #expect(goodbye.text.contains("seal"), "\(goodbye.text)")
          }
        }
        // As its author signed it, it is taken of whoever brings it.
        try await withLoop { place in
          let writer = KeyedPeer(place)
          try await writer.connect(
            to: port, with: keys[0],
            [KeyedPeer.hello(Self.author(1), Holdings(heads: [id])), frame], wanted: [frame])
          _ = try await status(of: path) { $0.applied["\(Self.author(7))"] == 1 }
        }
      }
    }
  }

  @Test func `issue 28.16: one key has so many links, and another one is let in all the same`()
    async throws
  {
    try await withFolder { folder in
      let keys = try keys(2)
      try await serve(folder + "/a", [(keys[0], .read), (keys[1], .write)]) { port in
        try await withLoop { place in
          var peers: [KeyedPeer] = []
          for number in 0..<Limits.keyLinks {
            let peer = KeyedPeer(place)
            try await peer.connect(
              to: port, with: keys[0], [KeyedPeer.hello(Self.author(UInt64(number)))])
            _ = try await peer.frames { frames, _ in frames.contains(where: \.isHello) }
            peers.append(peer)
          }
          let more = KeyedPeer(place)
          try await more.connect(to: port, with: keys[0], [KeyedPeer.hello(Self.author(100))])
          #expect(try await more.goodbye()?.code == .overload)
          let other = KeyedPeer(place)
          try await other.connect(to: port, with: keys[1], [KeyedPeer.hello(Self.author(200))])
          let frames = try await other.frames { frames, _ in frames.contains(where: \.isHello) }
          let isEnded = frames.contains { $0.isGoodbye }
          #expect(!isEnded)
        }
      }
    }
  }

  @Test func `issue 28.16: a link for pairing sends a proof, and nothing larger`() async throws {
    try await withFolder { folder in
      let keys = try keys(1)
      try await serve(folder + "/a", []) { port in
        try await withLoop { place in
          let peer = KeyedPeer(place)
          // A hello of a few hundred bytes is ended by its header.
          let heads = (1...20).map { number in
            ChangesetID(
              author: Self.author(number), sequence: .first,
              hash: .origin(of: Self.author(number)))
          }
          try await peer.connect(
            to: port, with: keys[0], purpose: .pairing,
            [KeyedPeer.hello(Self.author(1), Holdings(heads: heads))])
          #expect(try await peer.goodbye()?.code == .malformed)
          let right = KeyedPeer(place)
          try await right.connect(
            to: port, with: keys[0], purpose: .pairing,
            [.pair(PairingProof(of: [1, 2, 3, 4, 5], over: [UInt8](repeating: 0, count: 32)))])
          #expect(try await right.goodbye()?.code == .unpaired)
        }
      }
    }
  }

  @Test func `issue 28.16: links for pairing that say nothing make room, the oldest first`()
    async throws
  {
    try await withFolder { folder in
      let keys = try keys(1)
      try await serve(folder + "/a", []) { port in
        try await withLoop { place in
          let oldest = KeyedPeer(place)
          try await oldest.connect(to: port, with: keys[0], purpose: .pairing, [])
          for _ in 0..<Limits.pairingLinks {
            let peer = KeyedPeer(place)
            try await peer.connect(to: port, with: keys[0], purpose: .pairing, [])
          }
          _ = try await oldest.frames { _, isClosed in isClosed }
        }
      }
    }
  }
}
