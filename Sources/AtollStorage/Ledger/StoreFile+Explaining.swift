import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// `why`: the log is read from its beginning for whatever was written to one cell, with what each writer
// had seen.
extension StoreFile {
  /// Why a property holds what it holds.
  ///
  /// - Parameters:
  ///   - classID: Of the object.
  ///   - key: Of the object, alive or not.
  ///   - path: Property names from the object inwards, through to-one embedded objects.
  /// - Returns: Every write to the property that the log has, and what became of each.
  /// - Throws: `noSuchProperty` if the path leads to none, or through a collection.
  package func explain(
    _ classID: ClassID, key: PersistedValue, path: [String]
  ) throws(StorageError) -> Explanation {
    try doing("explaining a value") {
      try snapshot {
        let entry = try tables.entry(classID)
        var search = WriteSearch(
          store: self, entry: entry, key: key, way: try way(path, from: entry))
        try search.run()
        let name = path.joined(separator: ".")
        let (value, holder) = try present(entry, key, search.way)
        return Explanation(
          className: entry.name, key: key, path: name,
          value: value, holder: holder, writes: search.judged(),
          isCut: search.isCut,
          conflicts: try conflicts(of: classID, key: key).filter {
            $0.path.isEmpty || $0.path == name || $0.path.hasPrefix(name + ".")
              || $0.path.hasPrefix(name + "[")
          })
      }
    }
  }

  private func way(_ path: [String], from entry: ClassEntry) throws -> [StoredProperty] {
    var owner = entry
    var way: [StoredProperty] = []
    for name in path {
      guard let property = owner.properties.first(where: { $0.name == name }) else {
        throw StorageError.noSuchProperty(class: owner.name, property: name)
      }
      way.append(property)
      if let target = property.target.flatMap({ catalog.entry($0) }) { owner = target }
    }
    guard !way.isEmpty,
      way.dropLast().allSatisfy({ $0.type == .embedded && $0.collection == .none })
    else {
      throw StorageError.noSuchProperty(class: entry.name, property: path.joined(separator: "."))
    }
    return way
  }

  private func present(
    _ entry: ClassEntry, _ key: PersistedValue, _ way: [StoredProperty]
  ) throws -> (LedgerValue?, Explanation.Holder?) {
    guard let found = try tables.alive(entry, key), let row = try tables.load(entry.table, found.id)
    else {
      return (nil, nil)
    }
    var node: FieldNode?
    for property in way {
      let candidates = node?.children ?? entry.table.top
      guard let next = candidates.first(where: { $0?.property.id == property.id }) ?? nil else {
        return (nil, nil)
      }
      node = next
    }
    guard let node else { return (nil, nil) }
    let holder = row.state.order(of: node)?.stamp
    return (
      try tables.ledgerValue(of: node, in: row),
      holder.flatMap { stamp in
        authors[stamp.author].map {
          Explanation.Holder(author: $0.author, time: HybridTime(rawValue: stamp.time))
        }
      }
    )
  }
}

/// One walk over the log in search of the writes to one cell.
private struct WriteSearch {
  let store: StoreFile
  let entry: ClassEntry
  let key: PersistedValue
  let way: [StoredProperty]
  private(set) var isCut = false

  private struct Found {
    var write: Explanation.Write
    var order: RegisterStamp
    var stamp: LocalStamp
    /// The base of a step, where the inner nil is a default; nil for other writes.
    var step: LocalStamp??
    /// The changesets that its author had applied when it wrote.
    var seen: [Int64: SequenceNumber]
    var author: Int64
    var generation: Generation

    /// True if it writes the cell whole; what is written inside it counts beside it.
    var isWhole: Bool { write.isWhole }
  }

  private var found: [Found] = []
  /// The changesets that each author had applied, by its changesets so far.
  private var seen: [Int64: [Int64: SequenceNumber]] = [:]

  init(store: StoreFile, entry: ClassEntry, key: PersistedValue, way: [StoredProperty]) {
    self.store = store
    self.entry = entry
    self.key = key
    self.way = way
  }

  mutating func run() throws {
    try store.log.forEachEntry { entry in
      let reader = try ChangesetReader(entry.bytes, author: entry.record.author)
      for dependency in reader.dependencies {
        guard
          let named = store.authors.author(dependency.author, declaredBy: entry.record),
          var other = try store.log.branch(
            of: named.author, with: dependency.sequence, dependency.hash)
        else { continue }
        seen[entry.record.number, default: [:]][other.number] = dependency.sequence
        while let parent = store.authors[other.parent] {
          seen[entry.record.number, default: [:]][parent.number] = other.first.previous
          other = parent
        }
      }
      try search(reader, of: entry.record, entry.id, entry.position)
    }
  }

  private mutating func search(
    _ changeset: ChangesetReader, of record: AuthorRecord, _ id: ChangesetID, _ position: Int64
  ) throws {
    let source = MergeSource(
      author: store.numbers[record], time: changeset.time, sequence: changeset.sequence)
    var reader = changeset
    var index: UInt32 = 0
    while let operation = try reader.next() {
      defer { index += 1 }
      guard case .data(let operation) = operation,
        let hit = try value(of: operation, source, index)
      else { continue }
      let stamp = source.stamp(index)
      let isOwn = record.author.replica == store.author.replica
      let peer = isOwn ? nil : try store.log.arrival(of: position)
      let write = Explanation.Write(
        changeset: id, time: changeset.time, value: hit.value, isDefault: !hit.isAssigned,
        fate: .holds, peer: peer, isWhole: hit.isWhole)
      found.append(
        Found(
          write: write,
          order: try store.tables.order(CellStamp(isAssigned: hit.isAssigned, stamp: stamp)),
          stamp: stamp, step: hit.step, seen: seen[record.number] ?? [:], author: record.number,
          generation: hit.generation))
      if found.count > Limits.explainedWrites {
        found.removeFirst()
        isCut = true
      }
    }
  }

  private struct Hit {
    var value: LedgerValue
    var generation: Generation
    var isAssigned = true
    var step: LocalStamp??
    var isWhole = true
  }

  /// Returns the effect of an operation on the cell; nil if there is none.
  private func value(
    of operation: DataOperation, _ source: MergeSource, _ index: UInt32
  ) throws -> Hit? {
    switch operation {
    case .create(let object, let fields):
      guard isObject(object, source) else { return nil }
      for field in fields
      where source.author.property(field.property)?.id == way[0].id {
        guard let inner = try inside(field.value, way.dropFirst(), source) else { return nil }
        return Hit(value: inner, generation: object.generation, isAssigned: field.isAssigned)
      }
      return nil
    case .delete(let object):
      guard isObject(object, source) else { return nil }
      return Hit(value: .removed, generation: object.generation)
    case .assign(let path, _), .increment(let path, _, _), .insert(let path, _, _),
      .assignElement(let path, _, _), .move(let path, _, _), .remove(let path, _),
      .clear(let path, _), .insertMember(let path, _), .removeMember(let path, _),
      .assignEntry(let path, _, _), .removeEntry(let path, _):
      guard isObject(path.object, source) else { return nil }
      return try value(of: operation, at: path, source, index)
    }
  }

  private func value(
    of operation: DataOperation, at path: CellPath, _ source: MergeSource, _ index: UInt32
  ) throws -> Hit? {
    let steps = path.steps.map(\.property) + [path.property]
    let ids = steps.compactMap { source.author.property($0)?.id }
    let wanted = way.map(\.id)
    let generation = path.object.generation
    if ids.count < wanted.count, wanted.starts(with: ids), path.nested.isEmpty {
      guard case .assign(_, let value) = operation,
        let inner = try inside(value, way.dropFirst(ids.count), source)
      else { return nil }
      return Hit(value: inner, generation: generation)
    }
    guard ids.starts(with: wanted) else { return nil }
    if ids == wanted, path.nested.isEmpty {
      if case .assign(_, let value) = operation {
        return Hit(value: try store.tables.ledgerValue(value, source), generation: generation)
      }
      if case .increment(_, let amount, let base) = operation {
        return Hit(
          value: .step(amount), generation: generation,
          step: .some(try store.tables.stepBase(base, source)),
          isWhole: false)
      }
    }
    let contents = try store.tables.contents(of: operation, source.stamp(index), source)
    return Hit(value: contents.first?.value ?? .removed, generation: generation, isWhole: false)
  }

  private func isObject(_ object: ObjectReference, _ source: MergeSource) -> Bool {
    object.key == key && source.author.classID(object.class) == entry.id
  }

  /// The part of an embedded value that the rest of the way leads to; nil if it has none.
  private func inside(
    _ value: FieldValue, _ rest: ArraySlice<StoredProperty>, _ source: MergeSource
  ) throws -> LedgerValue? {
    guard let next = rest.first else { return try store.tables.ledgerValue(value, source) }
    guard case .embedded(let fields) = value else { return .scalar(.null) }
    for field in fields where source.author.property(field.property)?.id == next.id {
      return try inside(field.value, rest.dropFirst(), source)
    }
    return nil
  }

  // MARK: Judging

  /// Every write with what became of it.
  func judged() -> [Explanation.Write] {
    let generation = found.map(\.generation).max() ?? .unknown
    let current = found.filter { $0.generation == generation && $0.isWhole }
    let holding = current.max { $0.order < $1.order }
    return found.map { item in
      var write = item.write
      write.fate = fate(of: item, generation, holding)
      return write
    }
  }

  private func fate(of item: Found, _ generation: Generation, _ holding: Found?) -> Explanation.Fate
  {
    guard let holding else { return .holds }
    if item.generation == generation {
      if item.stamp == holding.stamp { return .holds }
      if let base = item.step {
        let held = holding.order.isAssigned ? holding.stamp : nil
        if base == held { return .holds }
        return sees(holding, item) ? .overwritten : .lost(.stepDropped)
      }
      if !item.isWhole {
        if sees(item, holding) { return .holds }
        return sees(holding, item) ? .overwritten : .lost(.instanceReplaced)
      }
      if sees(holding, item) || !item.order.isAssigned { return .overwritten }
      return .lost(item.stamp.time == holding.stamp.time ? .greaterAuthor : .laterTime)
    }
    return sees(holding, item) ? .overwritten : .lost(.deleted)
  }

  /// Tells whether the author of `later` had applied `earlier` when it wrote.
  private func sees(_ later: Found, _ earlier: Found) -> Bool {
    if later.author == earlier.author { return later.stamp.time >= earlier.stamp.time }
    return (later.seen[earlier.author] ?? .none) >= earlier.write.changeset.sequence
  }
}

extension PathStep {
  fileprivate var property: PropertyNumber {
    switch self {
    case .slot(let number, _), .element(let number, _, _), .entry(let number, _, _): number
    }
  }
}
