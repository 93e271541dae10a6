import AtollChanges
import AtollSQLite
import AtollVocabulary

// Who forgets. Any member may settle what the base has, since every member has applied that; then nothing
// that a member writes can come late, and only who was away, retired or restored has to write again.
extension StoreFile {
  /// Forgets deletions of objects with declared keys that every member has applied, here and, by a
  /// changeset that says so, everywhere.
  ///
  /// - Parameter least: How many there have to be for it; each settlement is kept for good.
  /// - Returns: How many were forgotten; 0 if there were fewer, or this file may not settle now.
  /// - Throws: As any write: `locked`, `diskFull` and others.
  package func forgetDeletions(atLeast least: Int = 1) throws(StorageError) -> Int {
    let known = try knownHoldings(areFollowed: true)
    let progress = try followedProgress()
    let members = known.filter { !$0.member.isRetired }
    guard known.contains(where: { $0.member.replica != author.replica }),
      try doing("looking for deletions to forget", { try maySettle(members) })
    else { return 0 }
    try beginWrite()
    do {
      let count = try doing("forgetting deletions") {
        let transaction = try current("forgetting deletions")
        guard try maySettle(members) else { return 0 }
        return try forgetDeletions(atLeast: least, members, progress, transaction)
      }
      if count == 0 { rollback() } else { try commitWrite() }
      return count
    } catch {
      rollback()
      throw error
    }
  }

  /// Whether everybody has what is to be settled, and waits for this file before cutting a log.
  private func maySettle(_ members: [KnownHoldings]) throws -> Bool {
    guard !options.isReadOnly, authors.hasBase, authors.settlements.count < Limits.settlements,
      !authors.isAnyWaiting, try !isAwaitingBacklog, try !wasCopied(),
      members.contains(where: { $0.member.replica == author.replica && $0.member.role == .write }),
      authors.records.contains(where: {
        $0.author.replica == author.replica && $0.base != nil && !$0.author.isBranch
      })
    else { return false }
    return members.allSatisfy { member in
      authors.records.allSatisfy { record in
        member.applied[record.author] >= record.base?.sequence ?? .none
      }
    }
  }

  /// Whether others may go on under this replica's names: a copy, or a file that was restored, cannot know
  /// who waits for whom.
  private func wasCopied() throws -> Bool {
    let given = try Set(formerNumbers() + [own.number])
    return authors.records.contains { record in
      record.author.replica == author.replica && !given.contains(record.number)
    }
  }

  private func formerNumbers() throws -> [Int64] {
    let statement = try statement("SELECT author FROM atoll_former ORDER BY author")
    defer { statement.reset() }
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int64(at: 0)) }
    return numbers
  }

  private func forgetDeletions(
    atLeast least: Int, _ members: [KnownHoldings],
    _ progress: [(progress: PeerProgress, time: WallTime)], _ transaction: WriteTransaction
  ) throws -> Int {
    let forgotten = try forgettable()
    guard !forgotten.isEmpty, forgotten.count >= least else { return 0 }
    let heard = try heardAuthors(members, progress)
    var settled: [SettledAuthor] = []
    for record in authors.sorted {
      let isHeard = heard.contains(record.author)
      guard record.base != nil || isHeard else { continue }
      settled.append(
        SettledAuthor(
          author: try ownNumber(ofAuthor: record.number, transaction),
          sequence: record.base?.sequence ?? .none, isHeard: isHeard))
    }
    guard settled.count <= Limits.vectorEntries else { return 0 }
    try perform(.settle(settled.sorted { $0.author < $1.author }), transaction)
    for (entry, key, life) in forgotten {
      let object = ObjectReference(
        class: try ownNumber(of: entry, transaction), key: key, life: life)
      try perform(.forget(object), transaction)
    }
    return forgotten.count
  }

  /// Of whom nothing can come late by itself: whose last word was that it has what the base has.
  private func heardAuthors(
    _ members: [KnownHoldings], _ progress: [(progress: PeerProgress, time: WallTime)]
  ) throws -> Set<Author> {
    let replicas = Set(members.map(\.member.replica)).subtracting([author.replica])
    var heard: Set<Author> = []
    for (said, _) in progress where replicas.contains(said.peer.replica) {
      let record = authors[said.peer]
      guard let record, record.children.isEmpty, record.parent == 0,
        members.contains(where: {
          $0.member.replica == said.peer.replica && !$0.member.hasEnded(said.peer.incarnation)
        })
      else { continue }
      heard.insert(record.author)
    }
    return heard
  }

  /// The deletions that the base has, which still hold, and that no link leads to.
  private func forgettable() throws -> [(ClassEntry, PersistedValue, Life)] {
    guard let number = try snapshotNumber(in: .base) else { return [] }
    var reader = SnapshotReader()
    var classes: [ClassEntry] = []
    var found: [(ClassEntry, PersistedValue, Life)] = []
    var size = 0
    let linked = try linkedDead()
    for page in 0..<(try pageCount(number)) {
      reader.append(try checkedPage(number, page))
      while let record = try reader.next() {
        switch record {
        case .head(let head): classes = try head.classes.map { try entry($0.declaration) }
        case .dead(let number, let key, let life):
          let entry = classes[Int(number)]
          guard size < Limits.partBytes, found.count < Limits.forgottenDeletions,
            entry.keyType != .identity, try deadLife(entry, key) == life,
            !linked.contains(entry, key)
          else { continue }
          size += key.approximateBytes
          found.append((entry, key, life))
        default: break
        }
      }
    }
    return found
  }

  /// Deleted objects that links lead to: whoever makes one again must not find them.
  private struct LinkedDead {
    private var keys: [ClassID: Set<PersistedValue>] = [:]

    func contains(_ entry: ClassEntry, _ key: PersistedValue) -> Bool {
      keys[entry.id]?.contains(key) ?? false
    }

    mutating func insert(_ key: PersistedValue, of entry: ClassEntry) {
      keys[entry.id, default: []].insert(key)
    }
  }

  private func linkedDead() throws -> LinkedDead {
    var linked = LinkedDead()
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    let tables = catalog.tables.filter { $0.kind != .layout && stored.contains($0.name) }
    for entry in objectClasses where entry.keyType != .identity {
      guard try hasIdentities(entry) else { continue }
      for node in tables.flatMap(\.nodes) {
        guard let condition = Self.linking(node, to: entry.id) else { continue }
        let found = try connection.prepare(
          """
          SELECT key FROM atoll_ghost g WHERE class = \(entry.id.rawValue)
          AND id IN (SELECT \(node.sql) FROM \(node.table.sql) WHERE \(condition))
          """)
        while try found.step() { linked.insert(found.value(entry.keyType, at: 0), of: entry) }
      }
    }
    return linked
  }

  /// The condition that a cell holds a link to an object of a class; nil if it cannot.
  private static func linking(_ node: FieldNode, to target: ClassID) -> String? {
    if node.isAny { return "\(node.typeSQL) = \(ValueTag.link(target))" }
    guard case .link(target) = node.kind else { return nil }
    return "\(node.sql) IS NOT NULL"
  }
}

extension Author {
  fileprivate var isBranch: Bool { branch != .none }
}

extension PersistedValue {
  /// What a key takes in a changeset, and a little more.
  fileprivate var approximateBytes: Int {
    switch self {
    case .string(let text): text.utf8.count + 16
    case .data(let bytes): bytes.count + 16
    default: 32
    }
  }
}
