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

/// A node with a roster, which takes changesets of many authors at once.
@Suite struct RestrictedReceivingTests {
  private static let count: UInt64 = 200

  private static func author(_ number: UInt64) -> Author {
    Author(replica: ReplicaKey.test(number).replica, incarnation: Incarnation(9))
  }

  /// The changesets of one author that each make a thing.
  private static func changesets(of writer: UInt64) -> [ChangesetRun] {
    let author = author(writer)
    let time = UInt64(SystemClock.wallTime().milliseconds)
    var hash = ChainHash.origin(of: author)
    var (changesets, runs): ([[UInt8]], [ChangesetRun]) = ([], [])
    for number in 1...count {
      let thing = ObjectReference(
        class: ClassNumber(0), key: .int(Int64(number)), generation: .first)
      let declaration = Declaration.class(
        ClassDeclaration(name: "Thing", isEmbedded: false, keyType: .int))
      let bytes = Changeset(
        author: author, sequence: SequenceNumber(number),
        time: HybridTime(milliseconds: time + number),
        declarations: number == 1 ? [declaration] : [], data: [.create(thing, [])]
      ).encoded()
      hash = hash.following(bytes)
      changesets.append(bytes)
      guard changesets.count == Limits.runChangesets || number == count else { continue }
      let head = ChangesetID(author: author, sequence: SequenceNumber(number), hash: hash)
      runs.append(
        ChangesetRun(
          author: author, first: SequenceNumber(number + 1 - UInt64(changesets.count)),
          changesets: changesets, headHash: hash,
          seal: ReplicaKey.test(writer).seal(head, in: testStoreID)))
      changesets = []
    }
    return runs
  }

  @Test func `issue 28.12: a store with a roster takes many transactions in few commits`()
    async throws
  {
    try await withFolder { folder in
      let path = folder + "/a"
      let (writer, reader) = (
        try Credentials(makingKeyOf: "writer"), try Credentials(makingKeyOf: "reader")
      )
      let file = try StoreFile.open(path, options: StoreOptions(storeID: testStoreID))
      for (key, role) in [(writer, PeerRole.write), (reader, .read)] {
        try file.admit(RosterEntry(identity: key.identity, name: role.rawValue, role: role))
      }
      file.close()
      let configuration = NodeConfiguration(
        stores: [path], storeID: testStoreID, listen: Endpoint(host: "127.0.0.1", port: 0),
        protection: .always, identityFile: path + "-key.pem", agent: "test node")
      let node = try Node(
        configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try await run(node) { port in
        let runs = Self.changesets(of: 1)
        let last = try #require(runs.last)
        let head = ChangesetID(author: last.author, sequence: last.last, hash: last.headHash)
        try await withLoop { place in
          let peer = KeyedPeer(place)
          try await peer.connect(
            to: port, with: writer,
            [KeyedPeer.hello(Self.author(1), Holdings(heads: [head])), .changesets(runs)])
          _ = try await status(of: path) { $0.applied["\(Self.author(1))"] == Self.count }
        }
      }
      let after = try StoreFile.open(path)
      defer { after.close() }
      let commits = try after.commitNumber().rawValue
      #expect(commits < Int64(Self.count) / 4, "\(commits) commits for \(Self.count) changesets")
    }
  }
}
