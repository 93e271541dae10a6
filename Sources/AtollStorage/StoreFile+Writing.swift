import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// Local writes: each call becomes one operation, which is merged and then encoded. Nothing is
// encoded that failed to merge.
extension StoreFile {
  package var isWriting: Bool { transaction?.encoder != nil }

  /// Begins a write transaction under the write lock.
  ///
  /// - Parameter timeout: How long to wait for the lock; nil takes the option's.
  /// - Throws: `locked` with the holder's name if the lock was not free in time.
  package func beginWrite(timeout: Duration? = nil) throws(StorageError) {
    try doing("beginning a write transaction") {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: "beginning a write transaction")
      }
      try begin(.local, timeout: timeout ?? options.lockTimeout)
      do {
        try requireNotRemoved()
        state.time = try nextTime()
        transaction?.beginChangeset(try own.sequence.next, at: state.time)
      } catch {
        abandon()
        throw error
      }
    }
  }

  /// Makes an object.
  ///
  /// - Parameters:
  ///   - classID: Of a class that is not embedded.
  ///   - key: Of the class's key type or null; nil for a class with hidden keys.
  ///   - fields: Values and defaults; a property left out has no cell and reads as zero or nil.
  /// - Returns: The new object's row.
  /// - Throws: `duplicateKey` if an object with this key is alive.
  package func create(
    _ classID: ClassID, key: PersistedValue?, fields: [NewField]
  ) throws(StorageError) -> RowID {
    try doing("creating an object") {
      let transaction = try current("creating an object")
      let entry = try tables.entry(classID)
      if entry.owners != nil { try checkOwnersWord(key, in: entry) }
      let key = try checkedKey(key, entry, transaction)
      let generation = try generationToCreate(entry, key)
      var created: [CreatedField] = []
      created.reserveCapacity(fields.count)
      var hasCollections = false
      for field in fields {
        if field.value.hasCollection { hasCollections = true }
        if field.property.collection != .none { continue }
        created.append(try createdField(field, entry, transaction))
      }
      let object = ObjectReference(
        class: try tables.ownNumber(of: entry, transaction), key: key, generation: generation)
      if let said = entry.owners, let source = transaction.source {
        try carryOut((AdmissionBook.replica(key, in: entry), said), source)
      }
      try perform(.create(object, created), transaction)
      let id = try madeID(entry, key)
      if hasCollections {
        for field in fields where field.value.hasCollection {
          try fillCollections(field, at: FieldPath(field.property), classID, id)
        }
      }
      return id
    }
  }

  /// Deletes an object, with all it embeds; links to it read nil from now on.
  package func delete(_ classID: ClassID, id: RowID) throws(StorageError) {
    try doing("deleting an object") {
      let transaction = try current("deleting an object")
      let entry = try tables.entry(classID)
      if entry.owners != nil {
        throw StorageError.schemaClash(
          class: entry.name,
          detail: "what an owner has said stays so, and no object of it is deleted")
      }
      let row = try object(entry, id)
      guard let generation = Existence.deleted(after: row.generation) else {
        throw StorageError.noSuchObject(class: entry.name, id: id)
      }
      let object = ObjectReference(
        class: try tables.ownNumber(of: entry, transaction), key: row.key, generation: generation)
      try perform(.delete(object), transaction)
    }
  }

  /// Assigns a property, an embedded slot as a whole, or all that a collection holds.
  package func assign(
    _ classID: ClassID, id: RowID, _ field: FieldPath, _ value: NewValue
  ) throws(StorageError) {
    try doing("assigning \(field.property.name)") {
      let transaction = try current("assigning \(field.property.name)")
      switch (field.property.collection, value) {
      case (.list, .list): try clearList(classID, id, field)
      case (.set, .set(let members)): try clearSet(classID, id, field, keeping: members)
      case (.map, .map(let entries)): try clearMap(classID, id, field, keeping: entries)
      case (_, _):
        let operand = try fieldValue(value, of: field, transaction)
        let cell = try locate(classID, id, field, transaction)
        try perform(.assign(cell.path, operand), at: cell.place, transaction)
      }
      try fillCollections(NewField(field.property, value), at: field, classID, id)
    }
  }

  /// Adds to an integer; concurrent steps on the same value all count.
  package func increment(
    _ classID: ClassID, id: RowID, _ field: FieldPath, by amount: Int64
  ) throws(StorageError) {
    try doing("incrementing \(field.property.name)") {
      let transaction = try current("incrementing \(field.property.name)")
      guard field.property.type == .int, field.property.collection == .none else {
        throw StorageError.typeMismatch(
          property: field.property.name, expected: .int, found: "\(field.property.type)")
      }
      let cell = try locate(classID, id, field, transaction)
      let (counter, isNull) = try tables.counter(cell.place.row, cell.place.node)
      if isNull, counter.order != nil {
        throw StorageError.incrementOfNil(property: field.property.name)
      }
      let base: StepBase
      if let order = cell.place.row.state.order(of: cell.place.node), order.isAssigned {
        base = .assignment(try reference(order.stamp, transaction))
      } else {
        base = .default
      }
      try perform(.increment(cell.path, by: amount, on: base), at: cell.place, transaction)
    }
  }

  /// Commits rows, log entry and effects in one SQLite transaction, and calls ``onCommit``.
  ///
  /// - Returns: Nil if the transaction did nothing; then no changeset was made.
  /// - Throws: `diskFull` and others; everything is rolled back then.
  @discardableResult
  package func commitWrite() throws(StorageError) -> Commit? {
    try doing("committing a write transaction") {
      let transaction: WriteTransaction
      do {
        transaction = try current("committing a write transaction")
      } catch {
        if self.transaction != nil { abandon() }
        throw error
      }
      guard transaction.hasOperations || transaction.hasSchema || transaction.hasLocalChanges else {
        abandonUnchanged(transaction)
        return nil
      }
      do {
        try storeOwnChangesets(transaction)
        if let key = transaction.nextKey { try startIncarnation(transaction, of: key) }
        return try finish(transaction)
      } catch {
        abandon()
        throw error
      }
    }
  }

  /// Undoes the open write transaction; does nothing if there is none.
  package func rollback() {
    guard let transaction else { return }
    if transaction.encoder != nil, transaction.failure == nil, !transaction.hasOperations,
      !transaction.hasLocalChanges
    {
      abandonUnchanged(transaction)
    } else {
      abandon()
    }
  }

  /// Ends a transaction that wrote nothing, caches kept.
  func abandonUnchanged(_ transaction: WriteTransaction) {
    let wasStale = isStale
    abandon()
    isStale =
      wasStale || catalog.revision != transaction.revision
      || !transaction.declarations.isEmpty
  }

  // MARK: Operations

  /// Merges an operation of this transaction and writes it down; returns its index.
  ///
  /// `place` is the cell that the operation leads to, if it has been found already.
  @discardableResult
  func perform(
    _ operation: DataOperation, at place: ObjectTables.Place? = nil, _ transaction: WriteTransaction
  ) throws -> UInt32 {
    try write(transaction) { source, index in
      try tables.merge(operation, at: place, source, index: index)
      transaction.encoder?.append(operation)
    }
  }

  /// Carries a control operation of this transaction out and writes it down.
  func perform(_ operation: ControlOperation, _ transaction: WriteTransaction) throws {
    _ = try write(transaction) { source, _ in
      try carryOut(operation, source)
      transaction.encoder?.append(.control(operation))
    }
  }

  @inline(__always)
  private func write(
    _ transaction: WriteTransaction, _ body: (MergeSource, _ index: UInt32) throws -> Void
  ) throws -> UInt32 {
    guard let source = transaction.source else {
      throw StorageError.notInTransaction(doing: "writing")
    }
    let index = transaction.nextIndex
    if index % 1024 == 0 { try checkSize(transaction) }
    try noting(transaction) {
      try body(source, index)
      transaction.nextIndex = index + 1
      try continueIfLarge(transaction)
    }
    return index
  }

  /// Does what may fail midway, after which nothing of the transaction can be committed.
  @inline(__always)
  private func noting(_ transaction: WriteTransaction, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      if error is SQLiteError { transaction.failure = error }
      throw error
    }
  }

  /// Merges a run of inserts into one list and writes it down; returns the rows.
  func perform(
    inserting elements: [(position: PositionKey, value: FieldValue)], into cell: LocatedCollection,
    _ transaction: WriteTransaction
  ) throws -> [Int64] {
    var rows: [Int64] = []
    var rest = elements[...]
    try noting(transaction) {
      while !rest.isEmpty {
        let run = rest.prefix(Self.insertedTogether)
        rest = rest.dropFirst(run.count)
        rows += try perform(insertingTogether: run, into: cell, transaction)
      }
    }
    return rows
  }

  private func perform(
    insertingTogether run: ArraySlice<(position: PositionKey, value: FieldValue)>,
    into cell: LocatedCollection, _ transaction: WriteTransaction
  ) throws -> [Int64] {
    guard let source = transaction.source else {
      throw StorageError.notInTransaction(doing: "writing")
    }
    try checkSize(transaction)
    let rows = try tables.mergeInserts(
      run, cell.place, cell.container, first: transaction.nextIndex, source)
    for element in run {
      transaction.encoder?.append(.insert(cell.path, at: element.position, element.value))
    }
    transaction.nextIndex += UInt32(run.count)
    try continueIfLarge(transaction)
    return rows
  }

  /// Elements inserted before it is looked whether the changeset is large.
  private static let insertedTogether = 4096

  /// Refuses a transaction that is too large for its changesets together; one operation is small beside that.
  private func checkSize(_ transaction: WriteTransaction) throws {
    let size = transaction.byteCount
    guard size < Limits.transactionBytes else {
      throw StorageError.tooLarge(
        what: "a transaction", size: size, limit: Limits.transactionBytes)
    }
  }

  private func checkedKey(
    _ key: PersistedValue?, _ entry: ClassEntry, _ transaction: WriteTransaction
  ) throws -> PersistedValue {
    guard !entry.isEmbedded else {
      throw StorageError.schemaClash(
        class: entry.name, detail: "an embedded object exists only inside another")
    }
    if entry.keyType == .identity, let identity = transaction.encoder?.nextIdentity {
      return .identity(identity)
    }
    guard let key else { return .null }
    guard key.isNull || key.type == entry.keyType else {
      throw StorageError.typeMismatch(
        property: "the key of \(entry.name)", expected: entry.keyType,
        found: key.type?.description ?? "nil")
    }
    try LocalLimits.checkSize(of: key, limit: Limits.keyBytes, "a key of \(entry.name)")
    return key
  }

  private func generationToCreate(_ entry: ClassEntry, _ key: PersistedValue) throws -> Generation {
    guard entry.keyType != .identity else { return .first }
    if try tables.hasIdentities(entry) || key.isNull {
      if try tables.alive(entry, key) != nil {
        throw StorageError.duplicateKey(class: entry.name, key: key)
      }
      guard let generation = Existence.created(after: try tables.tombstoneGeneration(entry, key))
      else {
        throw StorageError.duplicateKey(class: entry.name, key: key)
      }
      return generation
    }
    return .first
  }
}
