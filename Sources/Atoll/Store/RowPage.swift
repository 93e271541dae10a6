import AtollStorage

/// Rows of one class that are likely to be read one after the other, and are then read together.
///
/// What a loop goes through comes in pages: objects of results, elements of a collection, and what the
/// links of a page lead to. The first row that is asked for is read alone, because there may be no
/// other; the second brings all that are left of the page, with one statement. So a loop that follows
/// links asks the file twice a page, however many links there are.
final class RowPage {
  /// Rows that are read together at most.
  static var size: Int { StoreFile.rowsTogether }

  let table: Table
  /// As they were given, or ascending.
  private let ids: [RowID]
  @exclusivity(unchecked) private(set) var rows: [ObjectRow] = []
  private var places: [RowID: Int] = [:]
  /// Which state of the store the rows are from; nil as long as they are not read.
  private var freshness: ManagedRow.Freshness?
  private var wasAsked = false
  private var pages: [Link: RowPage] = [:]
  private var collections: [FieldPath: Together] = [:]
  @exclusivity(unchecked) private var follows = 0

  /// Where links of the rows are, and to which class they lead.
  private struct Link: Hashable {
    var column: Int
    var target: ClassID
  }

  /// What the rows have in a collection; nothing as long as one row's was asked for only.
  private struct Together {
    var elements: [RowID: [StoredElement]] = [:]
    /// Those of a map.
    var entries: [RowID: [StoredEntry]] = [:]
    var freshness = ManagedRow.Freshness.never
    /// What some rows have one after the other.
    var window: (element: ElementWindow, owners: Set<RowID>)?
  }

  /// Rows that are there already, none for those that are read one by one.
  init(_ table: Table, _ rows: [ObjectRow] = []) {
    self.table = table
    self.rows = rows
    ids = []
  }

  /// Rows that are read when the second of them is asked for.
  init(_ table: Table, of ids: some Sequence<RowID>) {
    self.table = table
    self.ids = Set(ids).sorted()
  }

  /// Whether links of the rows were followed more than once.
  var isFollowed: Bool { follows > 1 }

  /// Whether another page has to be made for a row.
  func lacks(_ id: RowID) -> Bool {
    if isOutdated { return true }
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low == ids.count || ids[low] != id
  }

  /// Whether the rows were read, and are not those of the present version.
  var isOutdated: Bool { freshness.map { $0.version != table.store.version } ?? false }

  /// A row and the state of the store that it is from; nil if it is to be read alone.
  func row(_ id: RowID) -> (row: ObjectRow, freshness: ManagedRow.Freshness)? {
    guard wasAsked else {
      wasAsked = true
      return nil
    }
    let freshness = self.freshness ?? read()
    guard freshness.version == table.store.version else { return nil }
    return places[id].map { (rows[$0], freshness) }
  }

  private func read() -> ManagedRow.Freshness {
    let now = ManagedRow.Freshness(of: table)
    rows = table.store.attempt("reading objects of class '\(table.model.name)'") {
      file throws(StorageError) in
      var rows: [ObjectRow] = []
      for start in stride(from: 0, to: ids.count, by: Self.size) {
        rows += try file.rows(of: table.classID, ids: ids[start...].prefix(Self.size))
      }
      return rows
    }
    for (place, row) in rows.enumerated() { places[row.id] = place }
    freshness = now
    return now
  }

  /// The page of what links in a column lead to; nil if what a link leads to is to be read alone.
  func linked(by column: Int, to target: Table) -> RowPage? {
    follows += 1
    guard rows.count > 1 else { return nil }
    let link = Link(column: column, target: target.classID)
    if let known = pages[link] { return known }
    let page = RowPage(target, of: rows.lazy.compactMap { $0.link(link.column, to: link.target) })
    pages[link] = page
    return page
  }

  /// What a list or set of a row holds, and the state that is from; nil if it is to be read alone.
  func elements(
    of id: RowID, in path: FieldPath
  ) -> (elements: [StoredElement], freshness: ManagedRow.Freshness)? {
    guard let together = together(path) else { return nil }
    return together.elements[id].map { ($0, together.freshness) }
  }

  /// What a map of a row holds, likewise.
  func entries(
    of id: RowID, in path: FieldPath
  ) -> (entries: [StoredEntry], freshness: ManagedRow.Freshness)? {
    guard let together = together(path) else { return nil }
    return together.entries[id].map { ($0, together.freshness) }
  }

  /// What the rows have in a collection, read when the second row's is asked for.
  private func together(_ path: FieldPath) -> Together? {
    follows += 1
    guard var together = collections[path] else {
      collections[path] = Together()
      return nil
    }
    if together.freshness.version == 0 {
      together = read(path)
      collections[path] = together
    }
    return together.freshness.version == table.store.version ? together : nil
  }

  /// The rows in the order in which they are likely to be read.
  private var order: [RowID] { ids.isEmpty ? rows.map(\.id) : ids }

  private func read(_ path: FieldPath) -> Together {
    var together = Together()
    together.freshness = ManagedRow.Freshness(of: table)
    let owners = order.prefix(Self.size)
    if owners.isEmpty { return together }
    table.store.attempt("reading collections of class '\(table.model.name)'") {
      file throws(StorageError) in
      if path.property.collection == .map {
        together.entries = try file.entries(of: table.classID, ids: owners, in: path)
        together.elements = together.entries.mapValues { $0.map(\.element) }
      } else {
        together.elements = try file.elements(of: table.classID, ids: owners, in: path)
      }
    }
    return together
  }

  /// The elements of a row's collection with those of the rows after it; nil if they are not known, or
  /// are too many.
  func window(of owner: RowID, in path: FieldPath) -> ElementWindow? {
    guard let together = collections[path], together.freshness.version == table.store.version
    else { return nil }
    if let window = together.window, window.owners.contains(owner) { return window.element }
    var elements: [StoredElement] = []
    var owners: Set<RowID> = []
    for id in order.drop(while: { $0 != owner }) {
      guard let more = together.elements[id], elements.count + more.count <= ElementWindow.size
      else { break }
      elements += more
      owners.insert(id)
    }
    guard owners.contains(owner) else { return nil }
    let window = ElementWindow(elements)
    collections[path]?.window = (window, owners)
    return window
  }
}

extension ObjectRow {
  /// Where a link leads, which may be an any-typed one.
  fileprivate func link(_ column: Int, to target: ClassID) -> RowID? {
    if case .link(target, let id)? = others[column] { return id }
    if case .int(let id) = columns[column] { return RowID(id) }
    return nil
  }
}
