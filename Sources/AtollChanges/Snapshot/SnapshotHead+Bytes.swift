import AtollVocabulary

extension [UInt8] {
  mutating func append(_ head: SnapshotHead) {
    append(SnapshotFormat.version)
    append(fixed: head.storeID.high)
    append(fixed: head.storeID.low)
    append(fixed: head.time.rawValue)
    append(varint: head.classes.count)
    for `class` in head.classes {
      append(text: `class`.declaration.name)
      append(`class`.declaration.isEmbedded ? 1 : 0)
      append(`class`.declaration.keyType.rawValue)
      if `class`.declaration.keyType != .identity {
        append(text: `class`.declaration.keyName ?? "")
      }
      append(fixed: `class`.digest.high)
      append(fixed: `class`.digest.low)
    }
    append(varint: head.properties.count)
    for property in head.properties {
      append(varint: property.owner.rawValue)
      append(text: property.name)
      append(property.type.rawValue)
      append(property.collection.rawValue)
      append(optional: property.target?.rawValue)
    }
    append(varint: head.tables.count)
    for table in head.tables { append(table) }
    append(varint: head.authors.count)
    for author in head.authors { append(author) }
  }

  /// One more than the number, 0 for none.
  private mutating func append(optional number: UInt32?) {
    append(varint: number.map { UInt64($0) + 1 } ?? 0)
  }

  private mutating func append(_ table: SnapshotHead.Table) {
    switch table.kind {
    case .objects(let number):
      append(0)
      append(varint: number)
    case .held(let table, let node):
      append(1)
      append(varint: table)
      append(varint: node)
    }
    append(varint: table.nodes.count)
    for node in table.nodes {
      append(optional: node.parent)
      append(varint: node.property)
    }
  }

  private mutating func append(_ writer: SnapshotHead.Writer) {
    append(writer.author.branch == .none ? 0 : 1)
    append(contentsOf: writer.author.bytes)
    append(optional: writer.parent)
    append(varint: writer.first.rawValue)
    append(fixed: writer.began)
    append(varint: writer.sequence.rawValue)
    append(contentsOf: writer.hash.bytes)
    append(fixed: writer.time)
    append(writer.seal == nil ? 0 : 1)
    if let seal = writer.seal { append(contentsOf: seal.bytes) }
    append(varint: writer.released.rawValue)
    append(fixed: writer.releasedTime)
    append(varint: writer.superseded.count)
    for range in writer.superseded {
      append(varint: range.lowerBound.rawValue)
      append(varint: range.upperBound.rawValue)
    }
    append(writer.seen)
    append(varint: writer.declared.count)
    for declared in writer.declared {
      let (tag, number): (UInt8, UInt32) =
        switch declared {
        case .class(let number): (0, number)
        case .property(let number): (1, number)
        case .author(let number): (2, number)
        }
      append(tag)
      append(varint: number)
    }
    append(varint: writer.recent.count)
    for recent in writer.recent {
      append(contentsOf: recent.hash.bytes)
      append(fixed: recent.time)
      append(varint: recent.declared)
      append(recent.seen)
    }
  }

  private mutating func append(_ all: [SnapshotHead.Seen]) {
    append(varint: all.count)
    for seen in all {
      append(varint: seen.author)
      append(varint: seen.sequence.rawValue)
    }
  }
}

extension ByteReader {
  mutating func snapshotHead() throws(ChangesetError) -> SnapshotHead {
    let version = try byte("the format version of a snapshot")
    guard version == SnapshotFormat.version else {
      throw ChangesetError(
        .unknownFormat, at: .byte(0), "the format version of a snapshot", found: "\(version)",
        expected: "\(SnapshotFormat.version); a build of another version may read it")
    }
    let store = StoreID(
      high: try fixed(UInt64.self, "a store id"), low: try fixed(UInt64.self, "a store id"))
    var head = SnapshotHead(
      storeID: store, time: try time("a time"))
    for _ in 0..<(try count("the number of classes", limit: Limits.declarations, bytesEach: 19)) {
      head.classes.append(try snapshotClass())
    }
    for _ in 0..<(try count("the number of properties", limit: Limits.declarations, bytesEach: 5)) {
      head.properties.append(try snapshotProperty(head))
    }
    for _ in 0..<(try count("the number of tables", limit: Limits.declarations, bytesEach: 3)) {
      head.tables.append(try snapshotTable(head))
    }
    for _ in 0..<(try count("the number of authors", limit: Limits.vectorEntries, bytesEach: 85)) {
      head.authors.append(try snapshotWriter(head))
    }
    return head
  }

  private mutating func snapshotClass() throws(ChangesetError) -> SnapshotHead.Class {
    let name = try text("the name of a class", limit: Limits.nameBytes)
    let isEmbedded = try snapshotFlag("whether a class is embedded")
    let start = offset
    let keyTag = try byte("the type of a key")
    guard let keyType = PersistedType(rawValue: keyTag),
      keyType.rawValue <= PersistedType.identity.rawValue
    else {
      throw unknownTag("the type of a key", keyTag, at: start)
    }
    let keyName =
      keyType == .identity ? "" : try text("the name of a key", limit: Limits.nameBytes)
    let high = try fixed(UInt64.self, "a digest")
    return SnapshotHead.Class(
      ClassDeclaration(
        name: name, isEmbedded: isEmbedded, keyType: keyType,
        keyName: keyName.isEmpty ? nil : keyName),
      digest: StateDigest(high: high, low: try fixed(UInt64.self, "a digest")))
  }

  private mutating func snapshotProperty(
    _ head: SnapshotHead
  ) throws(ChangesetError) -> PropertyDeclaration {
    let owner = try number("the class of a property", below: head.classes.count)
    let name = try text("the name of a property", limit: Limits.nameBytes)
    var start = offset
    let typeTag = try byte("the type of a property")
    guard let type = PersistedType(rawValue: typeTag) else {
      throw unknownTag("the type of a property", typeTag, at: start)
    }
    start = offset
    let kindTag = try byte("the collection of a property")
    guard let collection = CollectionKind(rawValue: kindTag) else {
      throw unknownTag("the collection of a property", kindTag, at: start)
    }
    let target = try optionalNumber("the target of a property", below: head.classes.count)
    guard (target != nil) == (type == .link || type == .embedded) else {
      throw unknownTag("the target of a property", typeTag, at: start)
    }
    return PropertyDeclaration(
      owner: ClassNumber(owner), name: name, type: type, collection: collection,
      target: target.map(ClassNumber.init))
  }

  private mutating func snapshotTable(
    _ head: SnapshotHead
  ) throws(ChangesetError) -> SnapshotHead.Table {
    let kind: SnapshotHead.Table.Kind
    if try snapshotFlag("the kind of a table") {
      let table = try number("the table around a table", below: head.tables.count)
      let nodes = head.tables[Int(table)].nodes.count
      kind = .held(table: table, node: try number("the node of a table", below: nodes))
    } else {
      kind = .objects(try number("the class of a table", below: head.classes.count))
    }
    var table = SnapshotHead.Table(kind, nodes: [])
    for _ in 0..<(try count("the number of nodes", limit: Limits.declarations, bytesEach: 2)) {
      let parent = try optionalNumber("the node around a node", below: table.nodes.count)
      let property = try number("the property of a node", below: head.properties.count)
      table.nodes.append(SnapshotHead.Table.Node(parent: parent, property: property))
    }
    return table
  }

  private mutating func snapshotWriter(
    _ head: SnapshotHead
  ) throws(ChangesetError) -> SnapshotHead.Writer {
    let hasBranch = try snapshotFlag("whether an author has several histories")
    let author = hasBranch ? try branchedAuthor("an author") : try author("an author")
    let parent = try optionalNumber("the history before another", below: Limits.vectorEntries)
    let first = try self.sequence("the first of a history")
    let began = try time("the time of a history").rawValue
    let sequence = try self.sequence("the last changeset of an author")
    let range = try range(ChainHash.byteCount, "a hash")
    guard first > .none, sequence.rawValue >= first.rawValue - 1, let hash = ChainHash(bytes[range])
    else { throw truncated("the first of a history", needed: 1) }
    var writer = SnapshotHead.Writer(
      author: author, parent: parent, first: first, began: began, sequence: sequence, hash: hash,
      time: try time("the time of a changeset").rawValue)
    if try snapshotFlag("whether an author's last changeset has a seal") {
      writer.seal = Seal(bytes[try self.range(Seal.byteCount, "a seal")])
    }
    writer.released = try self.sequence("what was released")
    writer.releasedTime = try time("the time of what was released").rawValue
    for _ in 0..<(try count("the number of ranges", limit: Limits.declarations, bytesEach: 2)) {
      let start = offset
      let low = try self.sequence("the first of a range")
      let high = try self.sequence("the last of a range")
      guard low > .none, low <= high else {
        throw overLimit("the first of a range", low.rawValue, limit: high.rawValue, at: start)
      }
      writer.superseded.append(low...high)
    }
    writer.seen = try seen()
    for _ in 0..<(try count("declarations", limit: 3 * Limits.declarations, bytesEach: 2)) {
      writer.declared.append(try declared(head))
    }
    try readRecent(of: &writer)
    return writer
  }

  private mutating func seen() throws(ChangesetError) -> [SnapshotHead.Seen] {
    var all: [SnapshotHead.Seen] = []
    for _ in 0..<(try count("the number of authors", limit: Limits.vectorEntries, bytesEach: 2)) {
      let other = try number("an author", below: Limits.vectorEntries)
      all.append(
        SnapshotHead.Seen(
          author: other, sequence: try self.sequence("what an author has seen")))
    }
    return all
  }

  /// The last changesets of an author: no more than it has, and the last is the one that the author's own
  /// fields name.
  private mutating func readRecent(of writer: inout SnapshotHead.Writer) throws(ChangesetError) {
    let start = offset
    let count = try count(
      "the number of last changesets", limit: Limits.recentChangesets, bytesEach: 42)
    let all = writer.sequence.rawValue - (writer.first.rawValue - 1)
    guard UInt64(count) <= all else {
      throw overLimit("the number of last changesets", UInt64(count), limit: all, at: start)
    }
    for _ in 0..<count {
      let start = offset
      let range = try range(ChainHash.byteCount, "a hash")
      guard let hash = ChainHash(bytes[range]) else { throw truncated("a hash", needed: 1) }
      let recent = SnapshotHead.Recent(
        hash: hash, time: try time("the time of a changeset").rawValue,
        declared: Int(
          try varint("what was declared by then", limit: UInt64(writer.declared.count))),
        seen: try seen())
      if let before = writer.recent.last, before.declared > recent.declared {
        throw notCanonical(
          "the last changesets", at: start, found: "fewer declarations after more",
          expected: "ascending numbers of declarations")
      }
      writer.recent.append(recent)
    }
    guard let last = writer.recent.last else { return }
    guard last.hash == writer.hash, last.time == writer.time else {
      throw notCanonical(
        "the last changesets", at: start, found: "another last one",
        expected: "the one that the author's fields name")
    }
  }

  private mutating func declared(
    _ head: SnapshotHead
  ) throws(ChangesetError) -> SnapshotHead.Declared {
    let start = offset
    switch try byte("a declaration") {
    case 0: return .class(try number("a class", below: head.classes.count))
    case 1: return .property(try number("a property", below: head.properties.count))
    case 2: return .author(try number("an author", below: Limits.vectorEntries))
    case let tag: throw unknownTag("a declaration", tag, at: start)
    }
  }

  mutating func snapshotFlag(_ subject: StaticString) throws(ChangesetError) -> Bool {
    let start = offset
    let tag = try byte(subject)
    guard tag <= 1 else { throw unknownTag(subject, tag, at: start) }
    return tag == 1
  }

  mutating func number(
    _ subject: StaticString, below count: Int
  ) throws(ChangesetError) -> UInt32 {
    let start = offset
    let number = try varint32(subject)
    guard Int(number) < count else {
      throw overLimit(subject, UInt64(number), limit: UInt64(max(count, 1) - 1), at: start)
    }
    return number
  }

  private mutating func optionalNumber(
    _ subject: StaticString, below count: Int
  ) throws(ChangesetError) -> UInt32? {
    let number = try varint(subject, limit: UInt64(count))
    return number == 0 ? nil : UInt32(truncatingIfNeeded: number - 1)
  }
}
