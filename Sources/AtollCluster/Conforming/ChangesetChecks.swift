import AtollChanges
import AtollVocabulary
import AtollWire

/// The changesets that a peer takes, and those that it refuses.
enum ChangesetChecks {
  static let all = [
    ConformanceCheck(rule: 8, name: "a sealed changeset is taken, and said to be stored") { peer in
      let written = Written()
      let link = try peer.connect()
      link.send(peer.hello(written.author))
      link.send(.changesets([written.run(in: peer.storeID)]))
      while let frame = try link.next() {
        switch frame {
        case .progress(let holdings), .keepAlive(let holdings):
          if holdings.stored[written.author] == .first { return nil }
        case .goodbye(let goodbye):
          return "goodbye of code \(goodbye.code.rawValue): \(goodbye.text)"
        default: break
        }
      }
      return "no progress and no keep-alive named it"
    },
    ConformanceCheck(rule: 2, name: "a changeset with another chain hash gets code 7") { peer in
      try refused(by: peer) { run, _ in run.headHash = run.headHash.following([1]) }
    },
    ConformanceCheck(rule: 2, name: "a changeset with another replica's seal gets code 7") { peer in
      try refused(by: peer) { run, id in
        run.seal = Conformance.stranger().key.seal(id, in: peer.storeID)
      }
    },
    ConformanceCheck(rule: 2, name: "a changeset with a seal of another store gets code 7") {
      peer in
      let other = StoreID(high: peer.storeID.high, low: ~peer.storeID.low)
      let written = Written()
      return try refused(by: peer, written) { run, id in run.seal = written.key.seal(id, in: other)
      }
    },
    ConformanceCheck(
      rule: 2, name: "a changeset of a replica that its key does not name gets code 7"
    ) {
      peer in
      try refused(by: peer) { run, _ in run.author.replica.low ^= 1 }
    },
    ConformanceCheck(rule: 1, name: "bytes that no encoder writes get code 7") { peer in
      var random = SystemRandomNumberGenerator()
      for _ in 0..<mutations {
        var written = Written()
        let whole = written.bytes
        while (try? Changeset(decoding: written.bytes, author: written.author)) != nil {
          written.bytes = whole
          switch Int.random(in: 0..<3, using: &random) {
          case 0: written.bytes.removeLast(Int.random(in: 1..<whole.count, using: &random))
          case 1: written.bytes.append(UInt8.random(in: 0...255, using: &random))
          default:
            written.bytes[Int.random(in: 0..<whole.count, using: &random)] ^=
              1 << UInt8.random(in: 0..<8, using: &random)
          }
        }
        let found = try refused(by: peer, written) { _, _ in }
        if let found { return "\(found), of <\(Hexadecimal.text(bytes: written.bytes))>" }
      }
      return nil
    },
  ]

  /// Wrong changesets of one run of the checks, each on a link of its own.
  private static let mutations = 20

  /// The first changeset of a new replica, which makes one object.
  private struct Written {
    let author: Author
    let key: ReplicaKey
    var bytes: [UInt8]

    init() {
      (author, key) = Conformance.stranger()
      let object = ObjectReference(
        class: ClassNumber(0), key: .string("\(author)"), generation: .first)
      let assigned = CreatedField(
        property: PropertyNumber(0), value: .scalar(.int(7)), isAssigned: true)
      let declarations: [Declaration] = [
        .class(ClassDeclaration(name: "Conformance", isEmbedded: false, keyType: .string)),
        .property(
          PropertyDeclaration(
            owner: ClassNumber(0), name: "n", type: .int, collection: .none, target: nil)),
      ]
      bytes =
        Changeset(
          author: author, sequence: .first, time: HybridTime(milliseconds: 1_700_000_000_000),
          declarations: declarations, data: [.create(object, [assigned])]
        ).encoded()
    }

    var hash: ChainHash { .origin(of: author).following(bytes) }

    func run(in storeID: StoreID) -> ChangesetRun {
      let id = ChangesetID(author: author, sequence: .first, hash: hash)
      return ChangesetRun(
        author: author, first: .first, changesets: [bytes], headHash: hash,
        seal: key.seal(id, in: storeID))
    }
  }

  /// Nil if a peer refuses a run and keeps nothing of it, or what it does instead.
  private static func refused(
    by peer: Conformance, _ written: Written = Written(),
    changing change: (inout ChangesetRun, ChangesetID) -> Void
  ) throws -> String? {
    var run = written.run(in: peer.storeID)
    change(&run, ChangesetID(author: written.author, sequence: .first, hash: written.hash))
    let ending = try peer.ending(after: [peer.hello(run.author), .changesets([run])])
    if let found = Conformance.expecting(.refused, ending) { return found }
    guard case .hello(let hello)? = try peer.connect().next() else {
      return "it says no hello afterwards"
    }
    return hello.holdings.stored[run.author] == .none ? nil : "it is stored all the same"
  }
}
