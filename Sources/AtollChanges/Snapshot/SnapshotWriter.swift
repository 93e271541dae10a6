import AtollVocabulary

/// Turns records into pages of ``Limits/snapshotPageBytes``, the last one shorter.
///
/// Pages are cut without regard to records, so that a large value needs no special case.
package struct SnapshotWriter: Sendable {
  private var buffer: [UInt8] = []
  /// Bytes of `buffer` that went out: `taken <= buffer.count`.
  private var taken = 0
  private var count: UInt64 = 0

  package init() {}

  package mutating func append(_ record: SnapshotRecord) {
    var bytes: [UInt8] = []
    bytes.append(record)
    buffer.append(varint: bytes.count)
    buffer += bytes
    count += 1
  }

  /// Appends the end, after which only ``nextPage(isLast:)`` may follow.
  package mutating func finish() { append(.end(count: count)) }

  /// The next page if there are bytes for one, or if the rest is wanted.
  package mutating func nextPage(isLast: Bool = false) -> [UInt8]? {
    let waiting = buffer.count - taken
    guard waiting >= Limits.snapshotPageBytes || (isLast && waiting > 0) else {
      buffer.removeFirst(taken)
      taken = 0
      return nil
    }
    let end = taken + min(waiting, Limits.snapshotPageBytes)
    defer { taken = end }
    return Array(buffer[taken..<end])
  }
}

extension [UInt8] {
  mutating func append(_ record: SnapshotRecord) {
    switch record {
    case .head(let head):
      append(SnapshotFormat.RecordTag.head.rawValue)
      append(head)
    case .row(let row): append(row)
    case .tombstone(let `class`, let key, let generation):
      append(SnapshotFormat.RecordTag.tombstone.rawValue)
      append(varint: `class`)
      append(varint: generation.rawValue)
      append(key, context: nil)
    case .placeholder(let `class`, let id, let key, let generation):
      append(SnapshotFormat.RecordTag.placeholder.rawValue)
      append(varint: `class`)
      append(varint: id)
      append(varint: generation.rawValue)
      append(key, context: nil)
    case .end(let count):
      append(SnapshotFormat.RecordTag.end.rawValue)
      append(varint: count)
    }
  }

  private mutating func append(_ row: SnapshotRow) {
    let tag: SnapshotFormat.RecordTag =
      switch row.subject {
      case .object: .object
      case .element: .element
      }
    append(tag.rawValue)
    append(varint: row.table)
    append(varint: row.id)
    append(row.stamp)
    switch row.subject {
    case .object(let key, let generation):
      append(varint: generation.rawValue)
      append(key, context: nil)
    case .element(let element): append(element)
    }
    append(varint: row.cells.count)
    for cell in row.cells { append(cell) }
  }

  private mutating func append(_ stamp: SnapshotRow.Stamp) {
    append(fixed: stamp.time)
    append(varint: stamp.author)
    append(varint: stamp.index)
  }

  private mutating func append(_ element: SnapshotRow.Element) {
    append(varint: element.owner)
    append(varint: element.sequence.rawValue)
    append((element.isRemoved ? 1 : 0) | (element.isInside ? 2 : 0))
    switch element.place {
    case .member: append(SnapshotFormat.PlaceTag.member.rawValue)
    case .listed(let position, let moved):
      let tag: SnapshotFormat.PlaceTag = moved == nil ? .listed : .moved
      append(tag.rawValue)
      append(varint: position.count)
      append(contentsOf: position)
      if let moved { append(moved) }
    case .entry(let key):
      append(SnapshotFormat.PlaceTag.entry.rawValue)
      append(text: key)
    }
  }

  private mutating func append(_ cell: SnapshotRow.Cell) {
    append(varint: cell.node)
    typealias Flag = SnapshotFormat.CellFlag
    var flags = (cell.isRecorded ? Flag.recorded : 0) | (cell.isAssigned ? Flag.assigned : 0)
    if let apart = cell.apart {
      flags |= Flag.apart
      if apart.stamp != nil { flags |= Flag.stamp }
      if apart.isAssigned { flags |= Flag.apartAssigned }
      if apart.steps != 0 { flags |= Flag.steps }
      if apart.hasSteps { flags |= Flag.hasSteps }
    }
    append(flags)
    if let stamp = cell.apart?.stamp { append(stamp) }
    if let steps = cell.apart?.steps, steps != 0 { append(signed: steps) }
    switch cell.content {
    case .scalar(let value): append(value, context: nil)
    case .link(let `class`, let id):
      append(PersistedType.link.rawValue)
      append(varint: `class`)
      append(varint: id)
    case .embedded: append(PersistedType.embedded.rawValue)
    case .collection(let kind):
      append(ChangesetFormat.collectionTag)
      append(kind.rawValue)
    }
  }
}
