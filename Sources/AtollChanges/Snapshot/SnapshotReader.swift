import AtollVocabulary

/// Reads records out of pages, however they are cut; never holds more than one record and one page.
package struct SnapshotReader: Sendable {
  private var buffer: [UInt8] = []
  private var consumed = 0
  /// Of the tables whose rows may come; nil before the head.
  private var head: SnapshotHead?
  private var count: UInt64 = 0
  /// True if the end has come, after which nothing may.
  package private(set) var isFinished = false

  package init() {}

  /// Takes the next page; take every record out before.
  package mutating func append(_ page: [UInt8]) {
    buffer.removeFirst(consumed)
    consumed = 0
    buffer += page
  }

  /// The next record; nil until another page is there, and after the last.
  ///
  /// - Throws: ``ChangesetError`` for anything that a ``SnapshotWriter`` does not write.
  package mutating func next() throws(ChangesetError) -> SnapshotRecord? {
    guard !isFinished else {
      guard consumed == buffer.count else {
        throw ByteReader(buffer).notCanonical(
          "a snapshot", at: consumed, found: "more after its end", expected: "nothing")
      }
      return nil
    }
    guard let size = try size() else { return nil }
    var input = ByteReader(Array(buffer[consumed..<consumed + size]))
    consumed += size
    let record = try record(&input)
    guard input.remaining == 0 else {
      throw input.notCanonical(
        "a record", at: input.offset, found: "\(input.remaining) bytes more", expected: "its end")
    }
    count += 1
    return record
  }

  /// The bytes of the next record, if all of them are there; its length is consumed.
  private mutating func size() throws(ChangesetError) -> Int? {
    var number: UInt64 = 0
    var place = consumed
    for shift in stride(from: UInt64(0), through: 28, by: 7) {
      guard place < buffer.count else { return nil }
      let byte = buffer[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 == 0 else { continue }
      guard number <= UInt64(Limits.snapshotRecordBytes), byte != 0 || shift == 0 else { break }
      guard buffer.count - place >= Int(number) else { return nil }
      consumed = place
      return Int(number)
    }
    throw ByteReader(buffer).overLimit(
      "the length of a record", number, limit: UInt64(Limits.snapshotRecordBytes), at: consumed)
  }

  private mutating func record(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> SnapshotRecord {
    let tag = try input.byte("a record")
    guard let kind = SnapshotFormat.RecordTag(rawValue: tag), (kind == .head) == (head == nil)
    else {
      throw input.unknownTag("a record", tag, at: 0)
    }
    switch kind {
    case .head:
      let head = try input.snapshotHead()
      self.head = head
      return .head(head)
    case .object, .element: return .row(try row(&input, isElement: kind == .element))
    case .tombstone:
      let (`class`, generation) = (
        try `class`(&input), Generation(try input.varint32("a generation"))
      )
      return .tombstone(class: `class`, key: try key(&input), generation: generation)
    case .placeholder:
      let (`class`, id) = (try `class`(&input), try id(&input))
      let generation = Generation(try input.varint32("a generation"))
      return .placeholder(class: `class`, id: id, key: try key(&input), generation: generation)
    case .end:
      let start = input.offset
      let said = try input.varint("the number of records")
      guard said == count else {
        throw input.notCanonical(
          "the end of a snapshot", at: start, found: "\(said) records", expected: "\(count)")
      }
      isFinished = true
      return .end(count: said)
    }
  }

  private func row(
    _ input: inout ByteReader, isElement: Bool
  ) throws(ChangesetError) -> SnapshotRow {
    let table = try input.number("a table", below: head?.tables.count ?? 0)
    let id = try id(&input)
    let stamp = try stamp(&input)
    let subject: SnapshotRow.Subject
    if isElement {
      subject = .element(try element(&input))
    } else {
      let generation = Generation(try input.varint32("a generation"))
      subject = .object(key: try key(&input), generation: generation)
    }
    let nodes = head?.tables[Int(table)].nodes.count ?? 0
    var row = SnapshotRow(table: table, id: id, subject: subject, stamp: stamp)
    let count = try input.count("the number of cells", limit: nodes, bytesEach: 3)
    row.cells.reserveCapacity(count)
    for _ in 0..<count { row.cells.append(try cell(&input, nodes: nodes)) }
    return row
  }

  private func `class`(_ input: inout ByteReader) throws(ChangesetError) -> UInt32 {
    try input.number("a class", below: head?.classes.count ?? 0)
  }

  /// From 1; a quarter of what 64 bits hold, so that ids can be moved without overflow.
  private func id(_ input: inout ByteReader) throws(ChangesetError) -> UInt64 {
    let start = input.offset
    let id = try input.varint("a row", limit: 1 << 62)
    guard id > 0 else {
      throw input.notCanonical("a row", at: start, found: "0", expected: "1 or more")
    }
    return id
  }

  private func stamp(_ input: inout ByteReader) throws(ChangesetError) -> SnapshotRow.Stamp {
    SnapshotRow.Stamp(
      time: try input.time("a time").rawValue,
      author: try input.number("the author of a stamp", below: head?.authors.count ?? 0),
      index: try input.varint32("the index of a stamp"))
  }

  private func element(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> SnapshotRow.Element {
    let owner = try id(&input)
    let sequence = try input.sequence("the sequence of an element")
    var start = input.offset
    let flags = try input.byte("the flags of an element")
    guard flags < 4 else { throw input.unknownTag("the flags of an element", flags, at: start) }
    start = input.offset
    let tag = try input.byte("the place of an element")
    let place: SnapshotRow.Place
    switch SnapshotFormat.PlaceTag(rawValue: tag) {
    case .member: place = .member
    case .listed, .moved:
      let limit = UInt64(Limits.positionKeyBytes)
      let count = Int(try input.varint("the length of a position key", limit: limit))
      let bytes = Array(input.bytes[try input.range(count, "a position key")])
      place = .listed(
        bytes, moved: tag == SnapshotFormat.PlaceTag.moved.rawValue ? try stamp(&input) : nil)
    case .entry: place = .entry(try input.text("the key of an entry", limit: Limits.keyBytes))
    case nil: throw input.unknownTag("the place of an element", tag, at: start)
    }
    return SnapshotRow.Element(
      owner: owner, isInside: flags & 2 != 0, sequence: sequence, isRemoved: flags & 1 != 0,
      place: place)
  }

  private func cell(
    _ input: inout ByteReader, nodes: Int
  ) throws(ChangesetError) -> SnapshotRow.Cell {
    typealias Flag = SnapshotFormat.CellFlag
    let node = try input.number("the node of a cell", below: nodes)
    let start = input.offset
    let flags = try input.byte("the flags of a cell")
    let mayBeApart = flags & Flag.apart != 0
    guard flags < 0x80, mayBeApart || flags < Flag.apart else {
      throw input.unknownTag("the flags of a cell", flags, at: start)
    }
    var apart: SnapshotRow.Apart?
    if mayBeApart {
      let stamp = flags & Flag.stamp != 0 ? try stamp(&input) : nil
      let steps = flags & Flag.steps != 0 ? try input.signed("the steps of a counter") : 0
      guard (steps != 0) == (flags & Flag.steps != 0) else {
        throw input.notCanonical(
          "the steps of a counter", at: start, found: "0", expected: "no flag")
      }
      apart = SnapshotRow.Apart(
        stamp: stamp, isAssigned: flags & Flag.apartAssigned != 0, steps: steps,
        hasSteps: flags & Flag.hasSteps != 0)
    }
    return SnapshotRow.Cell(
      node: node, isRecorded: flags & Flag.recorded != 0,
      isAssigned: flags & Flag.assigned != 0, apart: apart, content: try content(&input))
  }

  private func content(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> SnapshotRow.Content {
    let start = input.offset
    let tag = try input.byte("a value")
    switch tag {
    case PersistedType.link.rawValue:
      let `class` = try `class`(&input)
      return .link(class: `class`, id: try id(&input))
    case PersistedType.embedded.rawValue: return .embedded
    case ChangesetFormat.collectionTag:
      return .collection(
        try read(&input) { reader throws(ChangesetError) in
          try reader.collectionKind()
        })
    case _:
      return .scalar(
        try read(&input) { reader throws(ChangesetError) in
          try Self.scalar(tag, at: start, &reader)
        })
    }
  }

  private func key(_ input: inout ByteReader) throws(ChangesetError) -> PersistedValue {
    try read(&input) { reader throws(ChangesetError) in
      let start = reader.input.offset
      return try Self.scalar(try reader.input.byte("a key"), at: start, &reader)
    }
  }

  private static let nobody = Author(
    replica: ReplicaID(high: 0, low: 0), incarnation: Incarnation(0))

  /// An identity of the writer's own is none here.
  private static func scalar(
    _ tag: UInt8, at start: Int, _ reader: inout OperationReader
  ) throws(ChangesetError) -> PersistedValue {
    let value = try reader.scalar(tag, at: start)
    guard case .identity(let identity) = value, identity.author == nobody else { return value }
    throw reader.input.unknownTag("an identity", tag, at: start)
  }

  /// Reads as operations are read; nothing but identities asks who writes, and these come whole.
  private func read<Value>(
    _ input: inout ByteReader,
    _ body: (inout OperationReader) throws(ChangesetError) -> Value
  ) throws(ChangesetError) -> Value {
    var reader = OperationReader(
      input: input, context: ValueContext(author: Self.nobody, sequence: .none), time: .zero)
    defer { input = reader.input }
    return try body(&reader)
  }
}
