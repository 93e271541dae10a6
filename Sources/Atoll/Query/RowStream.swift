import AtollStorage

/// The rows of one iteration.
///
/// Reads with a cursor as long as the store stands still. Before the store moves or changes, what is
/// left is kept as row ids, so that the iteration goes on over the objects there were when it began.
final class RowStream {
  private let store: Store
  private let table: Table
  private var cursor: RowCursor?
  private var rest: ArraySlice<RowID> = []
  /// Whether the stream goes on after the store moved or changed; otherwise it ends there.
  private let keepsRest: Bool

  init(store: Store, table: Table, query: StoreQuery, keepsRest: Bool) {
    self.keepsRest = keepsRest
    self.store = store
    self.table = table
    cursor = store.attempt("reading objects of '\(table.model.name)'") {
      file throws(StorageError) in try file.rows(query)
    }
    store.register(self)
  }

  func next() -> ObjectRow? {
    store.checkAccess("Iterating over results")
    if let cursor {
      let row = store.attempt("reading objects of '\(table.model.name)'") {
        _ throws(StorageError) in try cursor.next()
      }
      if row == nil { self.cursor = nil }
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
    guard let cursor else { return }
    self.cursor = nil
    guard keepsRest else { return }
    var ids: [RowID] = []
    store.attempt("reading objects of '\(table.model.name)'") { _ throws(StorageError) in
      while let row = try cursor.next() { ids.append(row.id) }
    }
    rest = ids[...]
  }
}

/// A stream that the store knows of without keeping it.
struct WeakStream {
  weak var stream: RowStream?
}

extension Store {
  func register(_ stream: RowStream) {
    streams.removeAll { $0.stream == nil }
    streams.append(WeakStream(stream: stream))
  }

  func detachStreams() {
    let moving = streams
    streams = []
    for entry in moving { entry.stream?.detach() }
  }
}
