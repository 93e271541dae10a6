import AtollChanges
import AtollSQLite
import AtollVocabulary

// Existence of objects. Live ones have a row in their class's table; `atoll_dead` has the even number
// of each that was deleted. `atoll_ghost` has the placeholders: the row ids by which links hold
// generations that are over or not known yet. A new generation has a new row id, so old links stay nil untouched.
//
// A deleted object without a declared key leaves no number: its hidden key names the one changeset that
// can make it, so where that is applied and there is no row, it was deleted.
extension ObjectTables {
  // MARK: Finding

  /// The row of a live object of this generation; nil if that generation is not the current one.
  func aliveRow(_ entry: ClassEntry, _ object: ObjectReference) throws -> LoadedRow? {
    if let row = transaction?.loadedRow, row.table === entry.table, row.key == object.key {
      return Existence.admits(object.generation, in: row.generation) ? row : nil
    }
    guard let row = try load(entry, key: object.key),
      Existence.admits(object.generation, in: row.generation)
    else { return nil }
    return row
  }

  func alive(_ entry: ClassEntry, _ key: PersistedValue) throws -> (
    id: Int64, generation: Generation
  )? {
    if let row = transaction?.loadedRow, row.table === entry.table, row.key == key {
      return (row.id, row.generation)
    }
    let statement = try entry.table.find()
    statement.bind(key, at: 1)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (statement.int64(at: 0), Generation(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
  }

  /// The generation of an object that is not alive: 0 or its even number.
  func tombstoneGeneration(_ entry: ClassEntry, _ key: PersistedValue) throws -> Generation {
    guard entry.keyType != .identity, try hasIdentities(entry) else { return .unknown }
    let statement = try statement(
      "SELECT life FROM atoll_dead WHERE class = ? AND key = ifnull(?, \(entry.nilKeySQL))")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(key, at: 2)
    guard try statement.step() else { return .unknown }
    defer { statement.reset() }
    return Generation(UInt32(truncatingIfNeeded: statement.int64(at: 0)))
  }

  /// Tells whether any object of a class was deleted or is only known from links.
  func hasIdentities(_ entry: ClassEntry) throws -> Bool {
    if let known = entry.hasIdentities { return known }
    let statement = try statement(
      """
      SELECT EXISTS (SELECT 1 FROM atoll_dead WHERE class = ?1)
      OR EXISTS (SELECT 1 FROM atoll_ghost WHERE class = ?1)
      """)
    statement.bind(Int64(entry.id.rawValue), at: 1)
    let has = try statement.step() && statement.int64(at: 0) != 0
    statement.reset()
    entry.hasIdentities = has
    return has
  }

  // MARK: Links

  /// The row id that a link to an object holds, whether that generation is known here or not.
  func targetID(_ object: ObjectReference, _ source: MergeSource) throws -> Int64 {
    let entry = try entry(try classID(object.class, of: source.author))
    if let made = transaction?.making, made.entry === entry, made.object == object {
      return made.id
    }
    if let found = try alive(entry, object.key), found.generation == object.generation {
      return found.id
    }
    if let placeholder = try placeholder(entry, object.key, object.generation) {
      return placeholder
    }
    let id = try nextID(entry)
    try insertPlaceholder(entry, object.key, object.generation, id)
    return id
  }

  /// The object that a row id stands for, and its generation; nil if the file has never given it.
  func identity(
    of row: Int64, _ entry: ClassEntry
  ) throws -> (key: PersistedValue, generation: Generation, isAlive: Bool)? {
    let alive = try entry.table.statement(
      "SELECT \(entry.table.keySQL), _life FROM \(entry.table.sql) WHERE _id = ?")
    alive.bind(row, at: 1)
    let isAlive = try alive.step()
    let found: Statement
    if isAlive {
      found = alive
    } else {
      found = try statement("SELECT key, life FROM atoll_ghost WHERE class = ? AND id = ?")
      found.bind(Int64(entry.id.rawValue), at: 1)
      found.bind(row, at: 2)
      guard try found.step() else { return nil }
    }
    defer { found.reset() }
    return (
      found.value(entry.keyType, at: 0),
      Generation(UInt32(truncatingIfNeeded: found.int64(at: 1))), isAlive
    )
  }

  /// The row id by which links hold an object that is not here; nil if none does.
  private func placeholder(
    _ entry: ClassEntry, _ key: PersistedValue, _ generation: Generation
  ) throws -> Int64? {
    guard try hasIdentities(entry) else { return nil }
    let statement = try statement(
      "SELECT id FROM atoll_ghost WHERE class = ? AND key IS ? AND life = ?")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(key, at: 2)
    statement.bind(Int64(generation.rawValue), at: 3)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return statement.int64(at: 0)
  }

  /// Keeps a row id for an object that links lead to and that is not here.
  func insertPlaceholder(
    _ entry: ClassEntry, _ key: PersistedValue, _ generation: Generation, _ id: Int64
  ) throws {
    let statement = try statement(
      "INSERT INTO atoll_ghost (class, key, life, id) VALUES (?, ?, ?, ?)")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(key, at: 2)
    statement.bind(Int64(generation.rawValue), at: 3)
    statement.bind(id, at: 4)
    try statement.run()
    entry.hasIdentities = true
  }

  // MARK: Creating

  func mergeCreate(
    _ object: ObjectReference, _ fields: [CreatedField], _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    let entry = try entry(try classID(object.class, of: source.author))
    transaction?.madeID = nil
    if try isNew(object.key, of: entry),
      try makeRow(entry, object, id: try nextID(entry), fields, stamp, source)
    {
      return
    }
    try forgetLosses(with: object, entry, source)
    if let found = try alive(entry, object.key) {
      if transaction?.encoder != nil {
        throw StorageError.duplicateKey(class: entry.name, key: object.key)
      }
      if found.generation == object.generation {
        return try mergeFields(of: found.id, entry, fields, stamp, source)
      }
      guard found.generation < object.generation else {
        return try recordDroppedCreate(entry, object.key, fields, stamp, source)
      }
      try recordDeletion(entry, found.id, stamp, source)
      try end(entry, found.id, object.key, found.generation)
    }
    guard try tombstoneGeneration(entry, object.key) < object.generation else {
      return try recordDroppedCreate(entry, object.key, fields, stamp, source)
    }
    try recordRecreation(entry, object, stamp, source)
    try deleteTombstone(entry, object.key)
    let id = try placeholder(entry, object.key, object.generation) ?? nextID(entry)
    _ = try makeRow(entry, object, id: id, fields, stamp, source)
    try deletePlaceholder(entry, id)
    // Elements that link to it have become visible.
    views.clear()
  }

  /// Makes the object that an operation leads to, where the changeset that made it counts for nothing.
  ///
  /// Whoever wrote the operation had the object. Were the operation dropped, it would depend on what comes first: the
  /// operation, or a changeset of somebody else who made an object with this key, too.
  ///
  /// - Returns: False if the object has been deleted or made again since, or its key is a hidden one.
  func makeMissing(
    _ object: ObjectReference, _ stamp: LocalStamp, _ source: MergeSource
  ) throws -> Bool {
    let entry = try entry(try classID(object.class, of: source.author))
    guard entry.keyType != .identity, object.generation.isAlive,
      try alive(entry, object.key).map({ $0.generation < object.generation }) ?? true,
      try tombstoneGeneration(entry, object.key) < object.generation
    else { return false }
    try mergeCreate(object, [], stamp, source)
    return true
  }

  /// Tells whether nothing but a live object can be known of a key.
  private func isNew(_ key: PersistedValue, of entry: ClassEntry) throws -> Bool {
    if entry.keyType == .identity { return true }
    return try !hasIdentities(entry) && !key.isNull
  }

  /// Two creates of one generation: one object, each property merged.
  private func mergeFields(
    of id: Int64, _ entry: ClassEntry, _ fields: [CreatedField], _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    guard let row = try load(entry.table, id) else { return }
    for field in fields {
      let place = Place(
        row: row, node: try node(field, entry.table, source), entry: entry, objectID: id)
      let order = CellStamp(isAssigned: field.isAssigned, stamp: stamp)
      try mergeAssign(place, field.value, order, source)
    }
  }

  // MARK: Deleting

  func mergeDelete(
    _ object: ObjectReference, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    let entry = try entry(try classID(object.class, of: source.author))
    if let found = try alive(entry, object.key) {
      guard Existence.merge(found.generation, object.generation) != found.generation else {
        return try recordLateDelete(entry, found.id, object.key, stamp, source)
      }
      try forgetLosses(with: object, entry, source)
      try recordDeletion(entry, found.id, stamp, source)
      try end(entry, found.id, object.key, found.generation)
    } else {
      guard try tombstoneGeneration(entry, object.key) < object.generation else { return }
      try deleteTombstone(entry, object.key)
    }
    guard entry.keyType != .identity else { return }
    try insertTombstone(entry, object.key, object.generation)
    redigest(entry, plus: DigestHasher.object(entry, object.key, object.generation))
  }

  /// Writes the tombstone of an object: its key, and its even number.
  func insertTombstone(_ entry: ClassEntry, _ key: PersistedValue, _ generation: Generation) throws
  {
    let statement = try statement(
      """
      INSERT INTO atoll_dead (class, key, life) VALUES (?, ifnull(?, \(entry.nilKeySQL)), ?)
      """)
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(key, at: 2)
    statement.bind(Int64(generation.rawValue), at: 3)
    try statement.run()
    entry.hasIdentities = true
  }

  /// Takes a live object's row away, with all it owns; links to it keep its row id.
  ///
  /// The object of a row id is remembered where a link may ask for it. Most objects have none, and
  /// then a deletion costs its number only.
  private func end(
    _ entry: ClassEntry, _ id: Int64, _ key: PersistedValue, _ generation: Generation
  ) throws {
    redigest(entry, minus: try digestOfObject(entry, id))
    let identity = DigestHasher.object(entry, key, generation)
    for node in entry.table.nodes where node.elements != nil {
      try deleteElements(of: node, owner: id, identity)
    }
    let statement = try entry.table.statement("DELETE FROM \(entry.table.sql) WHERE _id = ?")
    statement.bind(id, at: 1)
    try statement.run()
    if try mayBeLinked(entry, id) {
      try insertPlaceholder(entry, key, generation, id)
    } else {
      transaction?.goneIDs[entry.id] = max(transaction?.goneIDs[entry.id] ?? 0, id)
    }
    transaction?.forget()
    views.clear()
    transaction?.changes.delete(id, of: entry.id)
  }

  /// Tells whether some cell may hold a row id: asked where links have an index, else supposed.
  private func mayBeLinked(_ entry: ClassEntry, _ id: Int64) throws -> Bool {
    guard let ways = entry.incomingLinks else { return true }
    return try ways.contains { node in
      let statement = try node.table.statement(
        "SELECT 1 FROM \(node.table.sql) WHERE \(node.sql) = ? LIMIT 1")
      statement.bind(id, at: 1)
      defer { statement.reset() }
      return try statement.step()
    }
  }

  /// Deletes the tombstone of an object that is made again.
  private func deleteTombstone(_ entry: ClassEntry, _ key: PersistedValue) throws {
    let generation = try tombstoneGeneration(entry, key)
    guard generation != .unknown else { return }
    redigest(entry, minus: DigestHasher.object(entry, key, generation))
    let statement = try statement(
      "DELETE FROM atoll_dead WHERE class = ? AND key = ifnull(?, \(entry.nilKeySQL))")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(key, at: 2)
    try statement.run()
  }

  private func deletePlaceholder(_ entry: ClassEntry, _ id: Int64) throws {
    guard try hasIdentities(entry) else { return }
    let statement = try statement("DELETE FROM atoll_ghost WHERE class = ? AND id = ?")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(id, at: 2)
    try statement.run()
  }
}
