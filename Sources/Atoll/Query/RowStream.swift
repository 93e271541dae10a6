import AtollQuery
import AtollStorage
import AtollVocabulary

/// The rows of one iteration.
///
/// Reads with a cursor as long as the store stands still. Before the store moves or changes, what is
/// left is kept as row ids, so that the iteration goes on over the objects there were when it began.
@usableFromInline
final class RowStream {
  private let store: Store
  private let table: Table
  /// Gives the rows; nil after the last.
  @exclusivity(unchecked) private var reader: RowReader?
  /// True if objects can read from where the cursor stands, see ``RowCursor/readsValues``.
  @exclusivity(unchecked) private var standsAtRows: Bool
  private var rest: ArraySlice<RowID> = []
  /// The source of the object that was given last, as long as the reader stands there.
  @exclusivity(unchecked) private var present: ManagedRow?
  /// The number of objects in a row that were let go before the next was asked for.
  @exclusivity(unchecked) private var letGo = 0
  /// The page of rows that are read one by one, until links of it are followed; then of rows read
  /// before their turn.
  @exclusivity(unchecked) private var page: RowPage
  /// The index of the next object on the page.
  @exclusivity(unchecked) private var place = 0
  /// The source of objects without a row; kept here, and not to be counted for each object.
  @exclusivity(unchecked) private var unmanaged: Unretained
  fileprivate let entry = StreamEntry()
  /// True if the stream goes on after the store moved or changed; otherwise it ends there.
  private let keepsRest: Bool

  private struct Unretained {
    let store: Unmanaged<Store>
    let table: Unmanaged<Table>
    let reader: Unmanaged<RowReader>
    var present: Unmanaged<ManagedRow>?
  }

  init(store: Store, table: Table, query: StoreQuery, keepsRest: Bool) {
    self.keepsRest = keepsRest
    self.store = store
    self.table = table
    page = RowPage(table)
    let cursor = store.attempt("reading objects of '\(table.model.name)'") {
      file throws(StorageError) in try file.rows(query)
    }
    let reader = RowReader(table, cursor)
    self.reader = reader
    unmanaged = Unretained(
      store: .passUnretained(store), table: .passUnretained(table),
      reader: .passUnretained(reader))
    standsAtRows = cursor.readsValues
    entry.stream = self
    // A frozen store does not move, and several threads may read it.
    if store.isFrozen { return }
    store.register(self)
    cursor.willDetach = { [entry] in entry.stream?.leaveForGood() }
  }

  deinit {
    leave()
    entry.stream = nil
  }

  /// The next row's object, which reads what it is asked for while the stream stands there.
  @usableFromInline func nextObject() -> ObjectBase? {
    if page.isFollowed || !page.rows.isEmpty, let object = nextOfPage() { return object }
    guard standsAtRows, reader != nil else { return next().map { table.object($0, of: page) } }
    unmanaged.store._withUnsafeGuaranteedRef { $0.checkAccess("Iterating over results") }
    leave()
    guard unmanaged.reader._withUnsafeGuaranteedRef({ advance($0) }) else {
      end()
      return nil
    }
    // The row of an object that is gone serves for the next.
    if present == nil, let reader {
      let row = ManagedRow(store: store, table: table, at: reader, page: page)
      present = row
      unmanaged.present = .passUnretained(row)
    }
    guard let row = unmanaged.present else { return nil }
    return row._withUnsafeGuaranteedRef { row in
      unmanaged.reader._withUnsafeGuaranteedRef { row.stand(at: $0) }
      return unmanaged.table._withUnsafeGuaranteedRef { $0.object(row) }
    }
  }

  private func end() {
    reader = nil
    present = nil
  }

  /// A failure is the file's: a cursor's version cannot be ended under it, so nothing is tried again.
  private func advance(_ reader: RowReader) -> Bool {
    do {
      return try reader.advance(readingAhead: letGo)
    } catch {
      Trap.stop("Failure while reading objects of '\(table.model.name)': \(error)")
    }
  }

  /// The next object with the others on its page, because links of those before were followed.
  private func nextOfPage() -> ObjectBase? {
    if place == page.rows.count {
      leave()
      present = nil
      var rows: [ObjectRow] = []
      if page.isFollowed, let reader {
        rows = reader.takeLeft()
        if rows.isEmpty { rows = next(RowPage.size) }
      }
      page = RowPage(table, rows)
      place = 0
    }
    store.checkAccess("Iterating over results")
    guard place < page.rows.count else { return nil }
    place += 1
    return table.object(page.rows[place - 1], of: page)
  }

  /// Lets an object that is kept take its values with it.
  private func leave() {
    guard present != nil else { return }
    if isKnownUniquelyReferenced(&present) {
      letGo += 1
      return
    }
    letGo = 0
    present?.takeRest()
    present = nil
  }

  /// Called before the cursor takes its rows into memory.
  private func leaveForGood() {
    leave()
    standsAtRows = false
    guard let left = reader?.takeLeft(), !left.isEmpty else { return }
    page = RowPage(table, left)
    place = 0
  }

  func next() -> ObjectRow? {
    store.checkAccess("Iterating over results")
    if let reader {
      let row = store.attempt("reading objects of '\(table.model.name)'") {
        _ throws(StorageError) in try reader.next()
      }
      if row == nil { end() }
      return row
    }
    store.pin()
    while let id = rest.popFirst() {
      let row = store.attempt("reading an object of '\(table.model.name)'") {
        file throws(StorageError) in try file.row(of: table.classID, id: id)
      }
      if let row { return row }
    }
    return nil
  }

  func next(_ count: Int) -> [ObjectRow] {
    var rows: [ObjectRow] = []
    while rows.count < count, let row = next() { rows.append(row) }
    return rows
  }

  /// Called before the store moves or changes.
  func detach() {
    var ids = page.rows[place...].map(\.id)
    page = RowPage(table)
    place = 0
    if let reader {
      leave()
      ids += reader.idsLeft
      end()
      guard keepsRest else { return }
      store.attempt("reading objects of '\(table.model.name)'") { _ throws(StorageError) in
        while let row = try reader.next() { ids.append(row.id) }
      }
    }
    rest = ArraySlice(ids) + rest
  }
}

/// The store's entry of a stream, which does not keep it alive.
///
/// No weak reference: that would slow down every retain of the stream, and iterating has many.
final class StreamEntry {
  /// Set to nil when the stream goes.
  unowned(unsafe) var stream: RowStream?
}

extension Store {
  func register(_ stream: RowStream) {
    streams.removeAll { $0.stream == nil }
    streams.append(stream.entry)
  }

  func detachStreams() {
    let moving = streams
    streams = []
    for entry in moving { entry.stream?.detach() }
  }
}
