import AtollChanges
import AtollVocabulary

// A value of the ledger in a BLOB: a tag, then what it calls for; counts and lengths in seven bits a
// byte, numbers big-endian. Local to the file: nobody else reads it.
extension LedgerValue {
  private enum Tag {
    static let scalar: UInt8 = 0
    static let link: UInt8 = 1
    static let embedded: UInt8 = 2
    static let list: UInt8 = 3
    static let set: UInt8 = 4
    static let map: UInt8 = 5
    static let step: UInt8 = 6
    static let removed: UInt8 = 7
    static let omitted: UInt8 = 8
    static let moved: UInt8 = 9
    static let created: UInt8 = 10
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes.count > Limits.conflictValueBytes ? [Tag.omitted] : bytes
  }

  private func write(to bytes: inout [UInt8]) {
    // A value far over the bound is not worth writing to its end.
    guard bytes.count <= Limits.conflictValueBytes else { return }
    switch self {
    case .scalar(let value):
      bytes.append(Tag.scalar)
      bytes.append(scalar: value)
    case .link(let name, let key):
      bytes.append(Tag.link)
      bytes.append(text: name)
      bytes.append(scalar: key)
    case .embedded(let fields):
      bytes.append(Tag.embedded)
      bytes.append(number: UInt64(fields.count))
      for field in fields {
        bytes.append(text: field.name)
        field.value.write(to: &bytes)
      }
    case .list(let values): Self.write(values, Tag.list, to: &bytes)
    case .set(let values): Self.write(values, Tag.set, to: &bytes)
    case .map(let entries):
      bytes.append(Tag.map)
      bytes.append(number: UInt64(entries.count))
      for entry in entries {
        bytes.append(text: entry.key)
        entry.value.write(to: &bytes)
      }
    case .step(let amount):
      bytes.append(Tag.step)
      bytes.append(word: UInt64(bitPattern: amount))
    case .moved(let position):
      bytes.append(Tag.moved)
      bytes.append(number: UInt64(position.bytes.count))
      bytes.append(contentsOf: position.bytes)
    case .removed: bytes.append(Tag.removed)
    case .created: bytes.append(Tag.created)
    case .omitted: bytes.append(Tag.omitted)
    }
  }

  private static func write(_ values: [LedgerValue], _ tag: UInt8, to bytes: inout [UInt8]) {
    bytes.append(tag)
    bytes.append(number: UInt64(values.count))
    for value in values { value.write(to: &bytes) }
  }

  /// Reads what ``bytes`` wrote; anything else reads as ``omitted``.
  init(bytes: [UInt8]) {
    var reader = WordReader(bytes)
    self = Self.read(&reader, depth: 0) ?? .omitted
  }

  private static func read(_ reader: inout WordReader, depth: Int) -> LedgerValue? {
    guard depth <= Limits.nestingDepth * 2, let tag = reader.byte() else { return nil }
    switch tag {
    case Tag.scalar: return reader.scalar().map { .scalar($0) }
    case Tag.link:
      guard let name = reader.text(), let key = reader.scalar() else { return nil }
      return .link(class: name, key: key)
    case Tag.embedded:
      return reader.items { reader in
        guard let name = reader.text(), let value = read(&reader, depth: depth + 1) else {
          return nil
        }
        return LedgerField(name, value)
      }.map { .embedded($0) }
    case Tag.list:
      return reader.items { read(&$0, depth: depth + 1) }.map { .list($0) }
    case Tag.set:
      return reader.items { read(&$0, depth: depth + 1) }.map { .set($0) }
    case Tag.map:
      return reader.items { reader in
        guard let key = reader.text(), let value = read(&reader, depth: depth + 1) else {
          return nil
        }
        return LedgerEntry(key, value)
      }.map { .map($0) }
    case Tag.step: return reader.word().map { .step(Int64(bitPattern: $0)) }
    case Tag.moved:
      guard let count = reader.varint(), let bytes = reader.take(Int(clamping: count)) else {
        return nil
      }
      return .moved(PositionKey(bytes: Array(bytes)))
    case Tag.removed: return .removed
    case Tag.created: return .created
    case Tag.omitted: return .omitted
    default: return nil
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(text: String) {
    let utf8 = Array(text.utf8)
    append(number: UInt64(utf8.count))
    append(contentsOf: utf8)
  }

  /// The type's number, 0 for nil, then the value.
  fileprivate mutating func append(scalar value: PersistedValue) {
    append(value.type?.rawValue ?? 0)
    switch value {
    case .null: break
    case .bool(let value): append(value ? 1 : 0)
    case .int(let value): append(word: UInt64(bitPattern: value))
    case .float(let value): append(word: UInt64(value.bitPattern))
    case .double(let value), .date(let value): append(word: value.bitPattern)
    case .string(let value): append(text: value)
    case .data(let value):
      append(number: UInt64(value.count))
      append(contentsOf: value)
    case .uuid(let value):
      append(word: value.high)
      append(word: value.low)
    case .objectId(let value):
      append(word: UInt64(value.high))
      append(word: UInt64(value.low))
    case .decimal(let value):
      append(word: value.high)
      append(word: value.low)
    case .identity(let value):
      append(word: value.author.replica.high)
      append(word: value.author.replica.low)
      append(word: value.author.incarnation.rawValue)
      append(word: value.author.branch.rawValue)
      append(word: value.sequence.rawValue)
      append(word: UInt64(value.index))
    }
  }
}

extension WordReader {
  fileprivate mutating func text() -> String? {
    guard let count = varint().flatMap(Int.init(exactly:)), let bytes = take(count) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate mutating func items<Item>(_ item: (inout WordReader) -> Item?) -> [Item]? {
    guard let count = varint() else { return nil }
    var items: [Item] = []
    for _ in 0..<count {
      guard let next = item(&self) else { return nil }
      items.append(next)
    }
    return items
  }

  fileprivate mutating func scalar() -> PersistedValue? {
    guard let tag = byte() else { return nil }
    if tag == 0 { return .null }
    switch PersistedType(rawValue: tag) {
    case .bool: return byte().map { .bool($0 != 0) }
    case .int: return word().map { .int(Int64(bitPattern: $0)) }
    case .float:
      return word().map { .float(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
    case .double: return word().map { .double(Double(bitPattern: $0)) }
    case .date: return word().map { .date(Double(bitPattern: $0)) }
    case .string: return text().map { .string($0) }
    case .data:
      guard let count = varint().flatMap(Int.init(exactly:)) else { return nil }
      return take(count).map { .data(Array($0)) }
    case .uuid: return pair().map { .uuid(UniqueBytes(high: $0, low: $1)) }
    case .objectId:
      return pair().map {
        .objectId(ObjectId(high: $0, low: UInt32(truncatingIfNeeded: $1)))
      }
    case .decimal: return pair().map { .decimal(Decimal128(high: $0, low: $1)) }
    case .identity: return identity().map { .identity($0) }
    case .any, .link, .embedded, nil: return nil
    }
  }

  private mutating func pair() -> (UInt64, UInt64)? {
    guard let high = word(), let low = word() else { return nil }
    return (high, low)
  }

  private mutating func identity() -> ChangeIdentity? {
    guard let replica = pair(), let incarnation = pair(), let rest = pair() else { return nil }
    return ChangeIdentity(
      author: Author(
        replica: ReplicaID(high: replica.0, low: replica.1),
        incarnation: Incarnation(incarnation.0), branch: Branch(incarnation.1)),
      sequence: SequenceNumber(rest.0), index: UInt32(truncatingIfNeeded: rest.1))
  }
}
