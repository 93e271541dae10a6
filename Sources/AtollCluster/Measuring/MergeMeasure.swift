import AtollChanges
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation

/// Two replicas that edited the same thing apart, and the time one takes to merge what the other did.
struct MergeMeasure {
  /// The subject of both edits.
  enum Subject: String, CaseIterable, Codable {
    /// Appends to one list.
    case list
    /// Increments of one counter.
    case counter
    /// Members put into one set.
    case set
    /// New objects that link to one object.
    case links
  }

  let folder: URL
  let subject: Subject
  /// Of each replica.
  let edits: Int
  let editsPerTransaction: Int

  private static let schema = [
    ClassSchema(
      name: "Board", primaryKey: "pk",
      properties: [
        PropertySchema(name: "pk", type: .int), PropertySchema(name: "count", type: .int),
        PropertySchema(name: "numbers", type: .int, collection: .list),
        PropertySchema(name: "members", type: .int, collection: .set),
      ]),
    ClassSchema(
      name: "Card", primaryKey: "pk",
      properties: [
        PropertySchema(name: "pk", type: .int),
        PropertySchema(name: "board", type: .link, isOptional: true, target: "Board"),
      ]),
  ]

  /// A replica and what it edits.
  private struct Side {
    let file: StoreFile
    let board: StoredClass
    let card: StoredClass
    let row: RowID
  }

  /// The time of the merge, until it is on the disk.
  func run() throws -> Duration {
    let storeID = StoreID(high: 1, low: 2)
    let first = try open("a", storeID)
    try first.beginWrite()
    let boards = try boardClass(first)
    _ = try first.create(boards.id, key: .int(1), fields: [])
    _ = try first.commitWrite()
    let second = try open("b", storeID)
    try take(Self.changesets(of: first, after: VersionVector()), second)
    let known = try second.appliedVector()
    let (a, b) = (try side(first), try side(second))
    try edit(a, from: 0)
    try edit(b, from: edits)
    let theirs = try Self.changesets(of: second, after: known)
    let time = try ContinuousClock().measure { try take(theirs, first) }
    try check(a)
    first.close()
    second.close()
    return time
  }

  private func open(_ name: String, _ storeID: StoreID) throws -> StoreFile {
    let path = folder.appendingPathComponent("\(subject.rawValue)-\(name).atoll").path
    let file = try StoreFile.open(path, options: StoreOptions(storeID: storeID))
    _ = try file.adopt(Self.schema)
    return file
  }

  private func boardClass(_ file: StoreFile) throws -> StoredClass {
    guard let type = try file.storedClass(named: "Board") else {
      throw ClusterError.different(reason: "the class Board is missing")
    }
    return type
  }

  private func side(_ file: StoreFile) throws -> Side {
    let board = try boardClass(file)
    guard let card = try file.storedClass(named: "Card"),
      let row = try file.find(board.id, key: .int(1))
    else { throw ClusterError.different(reason: "the object that both edit is missing") }
    return Side(file: file, board: board, card: card, row: row)
  }

  private func edit(_ side: Side, from start: Int) throws {
    for begin in stride(from: start, to: start + edits, by: editsPerTransaction) {
      try side.file.beginWrite()
      for number in begin..<min(begin + editsPerTransaction, start + edits) {
        try edit(side, number)
      }
      _ = try side.file.commitWrite()
    }
  }

  private func edit(_ side: Side, _ number: Int) throws {
    let value = NewValue.scalar(.int(Int64(number)))
    switch subject {
    case .list:
      _ = try side.file.listInsert(
        side.board.id, id: side.row, list: try path(side.board, "numbers"), at: nil, value)
    case .counter:
      try side.file.increment(side.board.id, id: side.row, try path(side.board, "count"), by: 1)
    case .set:
      try side.file.setInsert(
        side.board.id, id: side.row, set: try path(side.board, "members"), value)
    case .links:
      let link = NewField(
        try path(side.card, "board").property, .link(side.board.id, side.row))
      _ = try side.file.create(side.card.id, key: .int(Int64(number)), fields: [link])
    }
  }

  private func path(_ type: StoredClass, _ name: String) throws -> FieldPath {
    guard let property = type.property(named: name) else {
      throw ClusterError.different(reason: "the property \(name) is missing")
    }
    return FieldPath(property)
  }

  /// Everything a replica did after what `vector` says.
  static func changesets(
    of file: StoreFile, after vector: VersionVector
  ) throws -> [IncomingChangeset] {
    try file.entries(lackedBy: vector, after: .start, limitBytes: Limits.changesetBytes)
      .entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      }
  }

  private func take(_ changesets: [IncomingChangeset], _ file: StoreFile) throws {
    for outcome in try file.apply(changesets) {
      guard case .applied = outcome else {
        throw ClusterError.different(reason: "a changeset was not applied: \(outcome)")
      }
    }
  }

  /// That nothing of either replica was lost.
  private func check(_ side: Side) throws {
    let found: Int
    switch subject {
    case .list:
      found = try side.file.elements(
        of: side.board.id, id: side.row, list: try path(side.board, "numbers")
      ).count
    case .counter:
      let row = try side.file.row(of: side.board.id, key: .int(1))
      let column = side.board.column([try path(side.board, "count").property])
      guard let row, let column, case .int(let sum) = row.columns[column] else { return }
      found = Int(sum)
    case .set:
      found = try side.file.members(
        of: side.board.id, id: side.row, set: try path(side.board, "members")
      ).count
    case .links: found = try side.file.count(StoreQuery(side.card.id))
    }
    guard found == 2 * edits else {
      throw ClusterError.different(reason: "\(found) edits are there, of \(2 * edits)")
    }
  }
}
