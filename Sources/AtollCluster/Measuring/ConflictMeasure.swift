import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

/// Two replicas that wrote the same cells apart, one change a transaction, and the time one takes to
/// receive what the other wrote.
struct ConflictMeasure {
  /// The cells that both write, and how.
  enum Subject: String, CaseIterable {
    /// Assignments of one cell.
    case assign
    /// Increments of one cell.
    case increment
    /// Increments received where the cell was assigned.
    case step
    /// Assignments received where the cell was incremented.
    case reset
    /// Inserts at the beginning of one list.
    case insert
    /// Values of the same list elements.
    case element
    /// Moves of the same list elements.
    case move
    /// Removals received of list elements whose values were changed.
    case remove
    /// Members of one set, put in and taken out.
    case member
    /// Entries of one map.
    case entry
    /// Objects with the same keys.
    case create
    /// Deletions received of objects that were changed.
    case delete
    /// Changes received of objects that were deleted.
    case late
    /// One object, deleted and made again.
    case revive
    /// All of them in turn.
    case mix
  }

  let folder: URL
  let subject: Subject
  /// Of each replica.
  let transactions: Int
  /// True if the author of each transaction has seen one more of the receiver's.
  let isInterleaved: Bool

  private static let schema = [
    ClassSchema(
      name: "Board", primaryKey: "pk",
      properties: [
        PropertySchema(name: "pk", type: .int), PropertySchema(name: "text", type: .string),
        PropertySchema(name: "count", type: .int), PropertySchema(name: "steps", type: .int),
        PropertySchema(name: "resets", type: .int),
        PropertySchema(name: "inserted", type: .int, collection: .list),
        PropertySchema(name: "numbers", type: .int, collection: .list),
        PropertySchema(name: "moved", type: .int, collection: .list),
        PropertySchema(name: "removed", type: .int, collection: .list),
        PropertySchema(name: "members", type: .int, collection: .set),
        PropertySchema(name: "entries", type: .int, collection: .map),
      ]),
    ClassSchema(
      name: "Card", primaryKey: "pk",
      properties: [
        PropertySchema(name: "pk", type: .int), PropertySchema(name: "text", type: .string),
      ]),
  ]

  /// A replica and what it writes.
  private struct Side {
    let file: StoreFile
    let board: StoredClass
    let card: StoredClass
    let row: RowID
    /// Tells the one that receives from the one that is received.
    let isReceiver: Bool
  }

  /// The time until all of it is on the disk.
  func run() throws -> Duration {
    let storeID = StoreID(high: 1, low: 2)
    let first = try open("a", storeID, .none)
    try prepare(first)
    let second = try open("b", storeID, .none)
    try Self.take(MergeMeasure.changesets(of: first, after: VersionVector()), second)
    let known = try second.appliedVector()
    let (writer, receiver) = (try side(second, false), try side(first, true))
    for number in 0..<transactions { try write(receiver, number) }
    let others = try MergeMeasure.changesets(of: first, after: known)
    for number in 0..<transactions {
      if isInterleaved, number < others.count { try Self.take([others[number]], second) }
      try write(writer, number)
    }
    let theirs = try MergeMeasure.changesets(of: second, after: first.appliedVector())
    first.close()
    let durable = try open("a", storeID, .full)
    let frames = Self.frames(theirs)
    let time = try ContinuousClock().measure {
      for frame in frames { try Self.take(frame, durable) }
    }
    second.close()
    durable.close()
    return time
  }

  /// Divides changesets into what one frame takes, as the product sends them.
  static func frames(_ changesets: [IncomingChangeset]) -> [[IncomingChangeset]] {
    var frames: [[IncomingChangeset]] = []
    var size = Limits.batchBytes
    for changeset in changesets {
      if size >= Limits.batchBytes { (size, frames) = (0, frames + [[]]) }
      size += changeset.bytes.count
      frames[frames.count - 1].append(changeset)
    }
    return frames
  }

  static func take(_ changesets: [IncomingChangeset], _ file: StoreFile) throws {
    for outcome in try file.apply(changesets) {
      guard case .applied = outcome else {
        throw ClusterError.different(reason: "a changeset was not applied: \(outcome)")
      }
    }
  }

  // MARK: What both write

  private func open(
    _ name: String, _ storeID: StoreID, _ durability: StoreOptions.Durability
  ) throws -> StoreFile {
    let path = folder.appendingPathComponent("\(subject.rawValue)-\(name).atoll").path
    let file = try StoreFile.open(
      path, options: StoreOptions(storeID: storeID, durability: durability))
    _ = try file.adopt(Self.schema)
    return file
  }

  private func side(_ file: StoreFile, _ isReceiver: Bool) throws -> Side {
    guard let board = try file.storedClass(named: "Board"),
      let card = try file.storedClass(named: "Card"),
      let row = try file.find(board.id, key: .int(1))
    else { throw ClusterError.different(reason: "the object that both write is missing") }
    return Side(file: file, board: board, card: card, row: row, isReceiver: isReceiver)
  }

  private func path(_ type: StoredClass, _ name: String) throws -> FieldPath {
    guard let property = type.property(named: name) else {
      throw ClusterError.different(reason: "the property \(name) is missing")
    }
    return FieldPath(property)
  }

  /// Makes what both will change.
  private func prepare(_ file: StoreFile) throws {
    try file.beginWrite()
    guard let board = try file.storedClass(named: "Board"),
      let card = try file.storedClass(named: "Card")
    else { throw ClusterError.different(reason: "the classes are missing") }
    let counters = try ["count", "steps", "resets"].map {
      NewField(try path(board, $0).property, .scalar(.int(0)), isAssigned: false)
    }
    let row = try file.create(board.id, key: .int(1), fields: counters)
    for name in ["numbers", "moved", "removed"] {
      _ = try file.listInsert(
        board.id, id: row, list: try path(board, name), at: nil,
        contentsOf: (0..<transactions).map { .scalar(.int(Int64($0))) })
    }
    for number in 0..<transactions {
      _ = try file.create(card.id, key: .int(Int64(number)), fields: [])
      _ = try file.create(card.id, key: .int(Int64(-1 - number)), fields: [])
    }
    _ = try file.commitWrite()
  }

  private func write(_ side: Side, _ number: Int) throws {
    try side.file.beginWrite()
    if subject == .mix {
      let subjects = Subject.allCases.dropLast()
      try write(subjects[number % subjects.count], side, number)
    } else {
      try write(subject, side, number)
    }
    _ = try side.file.commitWrite()
  }

  private func write(_ subject: Subject, _ side: Side, _ number: Int) throws {
    let value = NewValue.scalar(.int(Int64(side.isReceiver ? number : -number - 1)))
    switch subject {
    case .assign: try assign(side.board, side.row, side, number)
    case .increment: try increment(side, "count")
    case .step, .reset:
      let name = subject == .step ? "steps" : "resets"
      if (subject == .step) != side.isReceiver { return try increment(side, name) }
      try side.file.assign(side.board.id, id: side.row, try path(side.board, name), value)
    case .insert, .element, .move, .remove: try writeList(subject, side, number, value)
    case .member:
      let set = try path(side.board, "members")
      let member = NewValue.scalar(.int(Int64(number % 50)))
      if (number / 50).isMultiple(of: 2) != side.isReceiver {
        try side.file.setInsert(side.board.id, id: side.row, set: set, member)
      } else {
        try side.file.setRemove(side.board.id, id: side.row, set: set, member)
      }
    case .entry:
      try side.file.mapAssign(
        side.board.id, id: side.row, map: try path(side.board, "entries"),
        key: "entry \(number % 50)", value)
    case .create, .delete, .late, .revive: try writeObject(subject, side, number)
    case .mix: return
    }
  }

  private func increment(_ side: Side, _ name: String) throws {
    try side.file.increment(side.board.id, id: side.row, try path(side.board, name), by: 1)
  }

  private func assign(_ type: StoredClass, _ row: RowID, _ side: Side, _ number: Int) throws {
    let text = "\(side.isReceiver ? "theirs" : "ours") \(number)"
    try side.file.assign(type.id, id: row, try path(type, "text"), .scalar(.string(text)))
  }

  private func writeList(
    _ subject: Subject, _ side: Side, _ number: Int, _ value: NewValue
  ) throws {
    let (file, board, row) = (side.file, side.board.id, side.row)
    switch subject {
    case .insert:
      _ = try file.listInsert(
        board, id: row, list: try path(side.board, "inserted"), at: 0, value)
    case .move:
      let list = try path(side.board, "moved")
      let end = side.isReceiver ? 0 : transactions - 1
      try file.listMove(board, id: row, list: list, from: number, to: end)
    case .remove where !side.isReceiver:
      let list = try path(side.board, "removed")
      try file.listRemove(board, id: row, list: list, at: 0)
    default:
      let list = try path(side.board, subject == .remove ? "removed" : "numbers")
      try file.listAssign(board, id: row, list: list, at: number, value)
    }
  }

  private func writeObject(_ subject: Subject, _ side: Side, _ number: Int) throws {
    let (file, card) = (side.file, side.card)
    switch subject {
    case .create:
      if let row = try file.find(card.id, key: .int(Int64(transactions + number))) {
        return try assign(card, row, side, number)
      }
      let text = NewValue.scalar(.string(side.isReceiver ? "theirs" : "ours"))
      let key = PersistedValue.int(Int64(transactions + number))
      _ = try file.create(
        card.id, key: key, fields: [NewField(try path(card, "text").property, text)])
    case .revive:
      if side.isReceiver, number >= transactions / 2 { return }
      let key = PersistedValue.int(Int64.max)
      if let known = try file.find(card.id, key: key) {
        try file.delete(card.id, id: known)
      } else {
        _ = try file.create(card.id, key: key, fields: [])
      }
    default:
      let isLate = subject == .late
      let key = PersistedValue.int(Int64(isLate ? -1 - number : number))
      guard let row = try file.find(card.id, key: key) else { return }
      if side.isReceiver == isLate {
        try file.delete(card.id, id: row)
      } else {
        try assign(card, row, side, number)
      }
    }
  }
}
