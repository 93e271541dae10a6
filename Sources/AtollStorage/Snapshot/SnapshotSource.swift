import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// Reads all that a file holds at one moment as the records of a snapshot, one after the other.
///
/// The file must have its snapshot pinned, and its caches as of then, while records are taken.
final class SnapshotSource {
  private enum Phase {
    case head
    case rows(CellTable)
    case tombstone(ClassEntry)
    case placeholder(ClassEntry)
  }

  private let file: StoreFile
  /// The file whose log has the seals; it may be another one where the objects of an earlier time are read.
  private let log: StoreFile
  /// The numbers of the tables that are in the snapshot, by their numbers in the file.
  private let numbers: [Int32: UInt32]
  private let tables: [CellTable]
  /// The numbers of the authors that are in the snapshot, by their numbers in the file less one; set with the head,
  /// which comes first.
  private var authorNumbers: [UInt32] = []
  private var phases: [Phase]
  private var phase: (phase: Phase, statement: Statement)?

  init(of file: StoreFile, sealsFrom log: StoreFile) {
    (self.file, self.log) = (file, log)
    tables = file.catalog.tables.filter { $0.kind != .layout }
    var numbers: [Int32: UInt32] = [:]
    for table in tables { numbers[table.id] = UInt32(numbers.count) }
    self.numbers = numbers
    let objects = file.catalog.entries.filter { !$0.isEmbedded }
    phases =
      objects.reversed().flatMap { [Phase.placeholder($0), .tombstone($0)] }
      + tables.reversed().map(Phase.rows) + [.head]
  }

  /// The next record but the end; nil after the last.
  func next() throws -> SnapshotRecord? {
    while true {
      if let (phase, statement) = phase {
        if try statement.step() { return try record(phase, statement) }
        statement.finalize()
        self.phase = nil
      }
      guard let next = phases.popLast() else { return nil }
      if case .head = next { return .head(try head()) }
      phase = (next, try begin(next))
    }
  }

  private func begin(_ phase: Phase) throws -> Statement {
    switch phase {
    case .rows(let table): return try file.connection.prepare(table.snapshotSQL)
    case .tombstone(let entry), .placeholder(let entry):
      let isTombstone = if case .tombstone = phase { true } else { false }
      let statement = try file.connection.prepare(
        isTombstone
          ? """
          SELECT nullif(key, \(entry.nilKeySQL)), life FROM atoll_dead
          WHERE class = ? ORDER BY atoll_dead.key
          """
          : "SELECT key, life, id FROM atoll_ghost WHERE class = ? ORDER BY id")
      statement.bind(Int64(entry.id.rawValue), at: 1)
      return statement
    case .head: return try file.connection.prepare("SELECT 1 WHERE 0")
    }
  }

  private func record(_ phase: Phase, _ statement: Statement) throws -> SnapshotRecord {
    switch phase {
    case .head: return .head(try head())
    case .rows(let table): return .row(try row(DigestedRow(table: table, statement: statement)))
    case .tombstone(let entry):
      return .tombstone(
        class: number(entry.id), key: statement.value(entry.keyType, at: 0),
        generation: Generation(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
    case .placeholder(let entry):
      return .placeholder(
        class: number(entry.id), id: statement.uint64(at: 2),
        key: statement.value(entry.keyType, at: 0),
        generation: Generation(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
    }
  }

  // MARK: Rows

  private func row(_ read: DigestedRow) throws -> SnapshotRow {
    let state = read.state
    let subject: SnapshotRow.Subject =
      read.table.kind == .objects
      ? .object(key: read.key, generation: read.generation) : .element(element(read, state))
    var row = SnapshotRow(
      table: numbers[read.table.id] ?? 0, id: UInt64(bitPattern: read.id), subject: subject,
      stamp: stamp(state.base))
    for node in read.table.nodes where !node.isCollection {
      if let cell = cell(node, read, state) { row.cells.append(cell) }
    }
    return row
  }

  private func element(_ read: DigestedRow, _ state: RowState) -> SnapshotRow.Element {
    let place: SnapshotRow.Place =
      switch read.place(state) {
      case .member: .member
      case .entry(let key): .entry(key)
      case .listed(let position, _):
        .listed(position.bytes, moved: state.exception(RowState.position)?.stamp.map(moved))
      }
    let owner = read.owner
    return SnapshotRow.Element(
      owner: owner.magnitude, isInside: owner < 0, sequence: read.sequence,
      isRemoved: read.isRemoved, place: place)
  }

  private func moved(_ order: CellStamp) -> SnapshotRow.Stamp { stamp(order.stamp) }

  private func cell(
    _ node: FieldNode, _ read: DigestedRow, _ state: RowState
  ) -> SnapshotRow.Cell? {
    let isRecorded = state.recorded & node.bit != 0
    let exception = state.exception(node.ordinal)
    guard isRecorded || exception != nil else { return nil }
    let apart = exception.map {
      SnapshotRow.Apart(
        stamp: $0.stamp.map { stamp($0.stamp) }, isAssigned: $0.stamp?.isAssigned ?? false,
        steps: $0.steps, hasSteps: $0.hasSteps)
    }
    return SnapshotRow.Cell(
      node: UInt32(node.ordinal), isRecorded: isRecorded,
      isAssigned: state.assigned & node.bit != 0, apart: apart, content: content(node, read))
  }

  private func content(_ node: FieldNode, _ read: DigestedRow) -> SnapshotRow.Content {
    let (column, statement) = (read.column(node), read.statement)
    switch node.kind {
    case .scalar(.any):
      guard let tag = read.tag(node) else { return .scalar(.null) }
      if let kind = ValueTag.kind(tag) { return .collection(kind) }
      if let target = ValueTag.target(tag) {
        return .link(class: number(target), id: statement.uint64(at: column))
      }
      return .scalar(ValueTag.type(tag).map { statement.value($0, at: column) } ?? .null)
    case .scalar(let type): return .scalar(statement.value(type, at: column))
    case .link(let target):
      guard !statement.isNull(at: column) else { return .scalar(.null) }
      return .link(class: number(target), id: statement.uint64(at: column))
    case .presence: return statement.isNull(at: column) ? .scalar(.null) : .embedded
    case .collection: return .scalar(.null)
    }
  }

  private func stamp(_ stamp: LocalStamp) -> SnapshotRow.Stamp {
    SnapshotRow.Stamp(time: stamp.time, author: number(stamp.author), index: stamp.index)
  }

  /// Classes and properties are numbered from 1 in the file, without holes.
  private func number(_ id: ClassID) -> UInt32 { UInt32(truncatingIfNeeded: id.rawValue - 1) }

  /// An author that is left out gets a number that no reader takes.
  private func number(_ author: Int64) -> UInt32 {
    let index = Int(author) - 1
    return authorNumbers.indices.contains(index) ? authorNumbers[index] : .max
  }

  /// The authors that the snapshot is about: without those of whom there is nothing but a name.
  ///
  /// A file that was made to apply a log has an author of its own, which never writes; it must not go on in every
  /// checkpoint after it.
  private func namedAuthors() throws -> [AuthorRecord] {
    let records = file.authors.records
    var declared: Set<Int64> = []
    for record in records {
      for declaration in try file.numbers.declared(by: record) where declaration.kind == .author {
        declared.insert(declaration.local)
      }
    }
    return records.filter { record in
      record.hasApplied || record.parent != 0 || !record.children.isEmpty || record.deferred != nil
        || record.released > .none || !record.allSuperseded.isEmpty || record.named > .none
        || declared.contains(record.number)
    }
  }

  // MARK: Head

  private func head() throws -> SnapshotHead {
    // An author's last changeset may be later: one that counts for nothing, since its clock was wrong.
    var head = SnapshotHead(storeID: file.storeID, time: file.state.time)
    for entry in file.catalog.entries {
      let declaration = ClassDeclaration(
        name: entry.name, isEmbedded: entry.isEmbedded, keyType: entry.keyType,
        keyName: entry.keyName)
      head.classes.append(
        SnapshotHead.Class(
          declaration, digest: entry.isEmbedded ? .zero : try file.tables.keptDigest(entry.id)))
    }
    head.properties = file.catalog.properties.map { property in
      PropertyDeclaration(
        owner: ClassNumber(number(property.owner)), name: property.name, type: property.type,
        collection: property.collection,
        target: property.target.map { ClassNumber(number($0)) })
    }
    head.tables = tables.map(table)
    let authors = try namedAuthors()
    authorNumbers = Array(repeating: .max, count: file.authors.records.count)
    for (place, record) in authors.enumerated() {
      authorNumbers[Int(record.number) - 1] = UInt32(place)
    }
    head.authors = try authors.map(writer)
    return head
  }

  private func table(_ table: CellTable) -> SnapshotHead.Table {
    let kind: SnapshotHead.Table.Kind =
      table.holder.map {
        .held(table: numbers[$0.table.id] ?? 0, node: UInt32($0.ordinal))
      } ?? .objects(number(table.owner.id))
    return SnapshotHead.Table(
      kind,
      nodes: table.nodes.map {
        SnapshotHead.Table.Node(
          parent: $0.parent.map { UInt32($0.ordinal) },
          property: UInt32(truncatingIfNeeded: $0.property.id.rawValue - 1))
      })
  }

  private func writer(_ record: AuthorRecord) throws -> SnapshotHead.Writer {
    var writer = SnapshotHead.Writer(
      author: record.author, parent: record.parent == 0 ? nil : number(record.parent),
      first: record.first, began: record.began, sequence: record.sequence, hash: record.hash,
      time: try file.log.time(of: record, record.sequence))
    if record.hasApplied { writer.seal = try log.seal(of: record.head) }
    writer.released = record.released
    writer.releasedTime = try file.log.releasedTime(of: record)
    writer.superseded = record.allSuperseded
    let seen =
      record.number == file.state.author
      ? file.authors.records.filter { $0.named > .none }.map { ($0.number, $0.named) }
      : try file.log.seen(by: record).map { ($0.key, $0.value) }
    writer.seen = seen.sorted { $0.0 < $1.0 }
      .map { SnapshotHead.Seen(author: number($0.0), sequence: $0.1) }
    writer.declared = try file.numbers.declared(by: record).map { declared in
      let place = UInt32(truncatingIfNeeded: declared.local - 1)
      return switch declared.kind {
      case .class: .class(place)
      case .property: .property(place)
      case .author: .author(number(declared.local))
      }
    }
    writer.recent = try file.recent(of: record, number: number)
    return writer
  }
}
