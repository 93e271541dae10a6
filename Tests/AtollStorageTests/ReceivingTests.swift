import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The cost of receiving many small transactions, in instructions of SQLite and not in time.
@Suite struct `receiving many transactions` {
  /// The edits that both replicas make to the same cells.
  enum Edit: String, CaseIterable, Sendable {
    case steps, resets, inserts, values, moves, removals, members, entries, deletes, changes
    case revivals, mix
  }

  @Test(arguments: Edit.allCases, [false, true])
  func `issue 28.12: a transaction that conflicts costs as much, however many come`(
    edit: Edit, isInterleaved: Bool
  ) throws {
    let few = try Conflict(edit, transactions: 30, isInterleaved).work()
    let many = try Conflict(edit, transactions: 150, isInterleaved).work()
    #expect(many <= few * 1.2, "\(edit): \(few) instructions each of 30, \(many) of 150")
  }

  /// Two replicas that write one change a transaction, apart.
  private struct Conflict {
    let edit: Edit
    let transactions: Int
    let isInterleaved: Bool
    let writer: TestStore
    let receiver: TestStore

    init(_ edit: Edit, transactions: Int, _ isInterleaved: Bool) throws {
      (self.edit, self.transactions, self.isInterleaved) = (edit, transactions, isInterleaved)
      receiver = try TestStore("receiver", model: CollectionModel.all)
      writer = try TestStore("writer", model: CollectionModel.all)
    }

    /// Instructions for each transaction that is received; 0 if there is none.
    func work() throws -> Double {
      defer { for store in [writer, receiver] { store.file.close() } }
      try receiver.write { store in
        let counter = NewField(store.property("Page", "n")[0], 0, isAssigned: false)
        let page = try store.file.create(store["Page"].id, key: .int(1), fields: [counter])
        _ = try store.file.listInsert(
          store["Page"].id, id: page, list: store.path("items"), at: nil,
          contentsOf: (0..<2 * transactions).map { .scalar(.int(Int64($0))) })
        for number in 0..<2 * transactions {
          _ = try store.file.create(store["Target"].id, key: .string("T\(number)"), fields: [])
        }
      }
      try receiver.send(to: writer)
      let known = try writer.file.appliedVector()
      for number in 0..<transactions { try write(receiver, number) }
      let others = try changesets(of: receiver, after: known)
      for number in 0..<transactions {
        if isInterleaved, number < others.count { _ = try writer.file.apply([others[number]]) }
        try write(writer, number)
      }
      let theirs = try changesets(of: writer, after: try receiver.file.appliedVector())
      let trace = try receiver.file.traced {
        for outcome in try receiver.file.apply(theirs) {
          guard case .applied = outcome else { throw TestFailure("not applied: \(outcome)") }
        }
      }
      try receiver.checkDigests()
      guard !theirs.isEmpty else { return 0 }
      return Double(trace.instructions) / Double(theirs.count)
    }

    private func changesets(
      of store: TestStore, after vector: VersionVector
    ) throws -> [IncomingChangeset] {
      try store.file.entries(lackedBy: vector, after: .start, limitBytes: 1 << 26)
        .entries.map(IncomingChangeset.init)
    }

    private func write(_ store: TestStore, _ number: Int) throws {
      // The clock goes on, as it does.
      store.clock.now.milliseconds += 1
      try store.file.beginWrite()
      let all = Edit.allCases.dropLast()
      try write(edit == .mix ? all[number % all.count] : edit, store, number)
      _ = try store.file.commitWrite()
    }

    private func write(_ edit: Edit, _ store: TestStore, _ number: Int) throws {
      let isReceiver = store === receiver
      let (file, page, row) = (store.file, store["Page"].id, try store.page)
      let (items, n) = (store.path("items"), store.path("n"))
      let value = NewValue.scalar(.int(Int64(isReceiver ? number : -number)))
      switch edit {
      case .steps, .resets:
        if (edit == .steps) == isReceiver {
          try store.assign("n", value)
        } else {
          try file.increment(page, id: row, n, by: 1)
        }
      case .inserts: try file.listInsert(page, id: row, list: items, at: 0, value)
      case .values: try file.listAssign(page, id: row, list: items, at: number, value)
      case .moves:
        try file.listMove(
          page, id: row, list: items, from: number, to: isReceiver ? 0 : transactions)
      case .removals where isReceiver:
        try file.listAssign(page, id: row, list: items, at: number, value)
      case .removals: try file.listRemove(page, id: row, list: items, at: 0)
      case .members:
        let member = NewValue.scalar(.int(Int64(number % 4)))
        if (number / 4).isMultiple(of: 2) == isReceiver {
          try store.remove(member, from: "tags")
        } else {
          try store.insert(member, into: "tags")
        }
      case .entries: try store.put("entry \(number % 4)", value, into: "dict")
      case .deletes, .changes, .revivals, .mix:
        try writeTarget(edit, store, number, isDeleting: isReceiver == (edit == .changes))
      }
    }

    private func writeTarget(
      _ edit: Edit, _ store: TestStore, _ number: Int, isDeleting: Bool
    ) throws {
      let target = store["Target"].id
      if edit == .revivals, store === receiver, number >= transactions / 2 { return }
      let place = edit == .changes ? transactions + number : number
      let key = PersistedValue.string(edit == .revivals ? "T" : "T\(place)")
      guard let row = try store.file.find(target, key: key) else {
        if edit == .revivals { _ = try store.file.create(target, key: key, fields: []) }
        return
      }
      if isDeleting || edit == .revivals {
        try store.file.delete(target, id: row)
      } else {
        // A link makes the object one that something is known of.
        try store.assign("any", .link(target, row))
      }
    }
  }

  // MARK: Many authors

  /// The first changeset of one of many authors, which all write the same cell.
  private func changeset(_ number: UInt64, knowing known: [(Author, ChainHash)])
    -> IncomingChangeset
  {
    let author = Author(replica: ReplicaID(high: 5, low: number), incarnation: Incarnation(1))
    let object = ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first)
    let changeset = Changeset(
      author: author, sequence: .first, time: HybridTime(milliseconds: 1_000_000 + number),
      dependencies: known.indices.map {
        Dependency(
          author: AuthorNumber(UInt32($0 + 1)), sequence: .first, hash: known[$0].1)
      },
      declarations: [
        .class(ClassDeclaration(name: "Thing", isEmbedded: false, keyType: .int)),
        .property(
          PropertyDeclaration(
            owner: ClassNumber(0), name: "n", type: .int, collection: .none, target: nil)),
      ] + known.map { .author($0.0) },
      data: [
        .create(
          object,
          [
            CreatedField(
              property: PropertyNumber(0), value: .scalar(.int(Int64(number))), isAssigned: true)
          ])
      ])
    return IncomingChangeset(author: author, sequence: .first, bytes: changeset.encoded())
  }

  /// Instructions for each of so many authors.
  private func work(ofAuthors count: UInt64) throws -> Double {
    let store = try TestStore("many", model: [])
    defer { store.file.close() }
    let changesets = (1...count).map { changeset($0, knowing: []) }
    let trace = try store.file.traced {
      for outcome in try store.file.apply(changesets) {
        guard case .applied = outcome else { throw TestFailure("not applied: \(outcome)") }
      }
    }
    #expect(try store.file.conflicts().count == Int(count) - 1)
    return Double(trace.instructions) / Double(count)
  }

  @Test
  func `issue 28.12: an author that conflicts with all others costs as much, among however many`()
    throws
  {
    let (few, many) = (try work(ofAuthors: 50), try work(ofAuthors: 400))
    #expect(many <= few * 1.1, "\(few) instructions each of 50 authors, \(many) of 400")
  }

  @Test
  func `issue 28.12: what each author has seen is read once, and each dependency costs a row`()
    throws
  {
    let store = try TestStore("knowing", model: [])
    var known: [(Author, ChainHash)] = []
    for number in 1...60 as ClosedRange<UInt64> {
      let incoming = changeset(number, knowing: known)
      let trace = try store.file.traced {
        for outcome in try store.file.apply([incoming]) {
          guard case .applied(let id) = outcome else { throw TestFailure("\(outcome)") }
          known.append((id.author, id.hash))
        }
      }
      // A declaration and what is seen, for each dependency, beside what any changeset costs.
      #expect(trace.statements.count <= 2 * known.count + 40)
      #expect(trace.rows <= 20)
    }
    #expect(try store.file.conflicts().isEmpty)
  }

  // MARK: Losses

  @Test
  func `issue 28.12: steps that are lost stay each for itself, and values give way to the next`()
    throws
  {
    let exchange = try Exchange()
    try exchange.start { [NewField($0.property("Page", "n")[0], 5)] }
    let (a, b) = (exchange.a, exchange.b)
    for amount in 1...3 as ClosedRange<Int64> {
      try b.write { try $0.file.increment($0["Page"].id, id: $0.page, $0.path("n"), by: amount) }
    }
    try b.write { try $0.assign("n", 7) }
    try b.write { try $0.assign("n", 8) }
    try a.write(at: 1_001_000) { try $0.assign("n", 1) }
    try b.send(to: a)
    let lost = try a.file.conflicts(of: a["Page"].id, key: .int(1)).map(\.losing.value)
    #expect(lost == [.step(1), .step(2), .step(3), .scalar(.int(8))])
  }

  @Test func `issue 28.12: a delete that is lost to one who made the object again is told once`()
    throws
  {
    let exchange = try Exchange()
    try exchange.start()
    let (a, b) = (exchange.a, exchange.b)
    func delete(_ store: TestStore) throws {
      let row = try #require(try store.file.find(store["Target"].id, key: .string("T1")))
      try store.file.delete(store["Target"].id, id: row)
    }
    try b.write { try delete($0) }
    for _ in 0..<3 {
      try a.write { try delete($0) }
      try a.write { _ = try $0.file.create($0["Target"].id, key: .string("T1"), fields: []) }
    }
    try a.send(to: b)
    #expect(try b.file.conflicts().map(\.rule) == [.recreated])
    #expect(try b.file.conflicts().map(\.losing.value) == [.removed])
  }
}
