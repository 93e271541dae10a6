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
  private var lists: [PropertyID: Lists] = [:]
  @exclusivity(unchecked) private var follows = 0

  /// Where links of the rows are, and to which class they lead.
  private struct Link: Hashable {
    var column: Int
    var target: ClassID
  }

  /// What the rows have in a list or set; nothing as long as one row's was asked for only.
  private struct Lists {
    var elements: [RowID: [StoredElement]] = [:]
    var freshness = ManagedRow.Freshness.never
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
    if let freshness, freshness.version != table.store.version { return true }
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low == ids.count || ids[low] != id
  }

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
    of id: RowID, in property: StoredProperty
  ) -> (elements: [StoredElement], freshness: ManagedRow.Freshness)? {
    follows += 1
    guard var lists = lists[property.id] else {
      lists[property.id] = Lists()
      return nil
    }
    if lists.freshness.version == 0 {
      lists = Lists(elements: read(property), freshness: ManagedRow.Freshness(of: table))
      self.lists[property.id] = lists
    }
    guard lists.freshness.version == table.store.version else { return nil }
    return lists.elements[id].map { ($0, lists.freshness) }
  }

  private func read(_ property: StoredProperty) -> [RowID: [StoredElement]] {
    let owners = ids.isEmpty ? rows.map(\.id) : ids
    if owners.isEmpty { return [:] }
    return table.store.attempt("reading lists of class '\(table.model.name)'") {
      file throws(StorageError) in
      try file.elements(of: table.classID, ids: owners.prefix(Self.size), in: property)
    }
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

/// The pages of the objects that a collection's links lead to, one at a time.
struct LinkPages {
  private var page: RowPage?

  /// The page of an element at an index, whose links lead to `table`; nil if it is no link.
  mutating func page(
    of element: StoredElement, at index: Int,
    among elements: some RandomAccessCollection<StoredElement>, _ table: Table?
  ) -> RowPage? {
    guard let table, case .link(let target, let id) = element.value else { return nil }
    if let page, !page.lacks(id) { return page }
    let start = elements.index(elements.startIndex, offsetBy: index / RowPage.size * RowPage.size)
    let new = RowPage(
      table,
      of: elements[start...].prefix(RowPage.size).compactMap { element in
        if case .link(target, let id) = element.value { id } else { nil }
      })
    page = new
    return new
  }
}
