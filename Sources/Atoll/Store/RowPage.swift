import AtollStorage
import AtollVocabulary

/// Rows of one class that are likely to be read one after the other, and are then read together.
///
/// A loop reads pages: objects of results, elements of a collection, and the targets of a page's
/// links. The first row that is asked for is read alone, because there may be no other; the second
/// brings all that are left of the page, with one statement. So a loop that follows links asks the
/// file twice a page, however many links there are.
final class RowPage {
  /// Rows that are read together at most.
  static var size: Int { StoreFile.rowsTogether }

  let table: Table
  /// As they were given, or ascending.
  private let ids: [RowID]
  @exclusivity(unchecked) private(set) var rows: [ObjectRow] = []
  private var places: [RowID: Int] = [:]
  /// The state of the store from which the rows are; nil as long as they are not read.
  private var freshness: ManagedRow.Freshness?
  private var wasAsked = false
  private var pages: [Link: RowPage] = [:]
  private var collections: [FieldPath: PageCollection] = [:]
  @exclusivity(unchecked) private var follows = 0

  /// The columns of the rows' links, and the class to which they lead.
  private struct Link: Hashable {
    var column: Int
    var target: ClassID
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

  /// True if links of the rows were followed more than once.
  var isFollowed: Bool { follows > 1 }

  /// Tells whether another page has to be made for a row.
  func lacks(_ id: RowID) -> Bool {
    if isOutdated { return true }
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low == ids.count || ids[low] != id
  }

  /// True if the rows were read, and are not those of the present version.
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

  // MARK: Collections

  /// Returns the elements of a list or set of a row, and their state; nil if they are to be read
  /// alone.
  func elements(
    of id: RowID, in path: FieldPath
  ) -> (elements: [StoredElement], freshness: ManagedRow.Freshness)? {
    guard let collection = collection(path, of: id, .content) else { return nil }
    return collection.elements[path.owner(in: id)].map { ($0, collection.freshness) }
  }

  /// Returns the entries of a map of a row, likewise.
  func entries(
    of id: RowID, in path: FieldPath
  ) -> (entries: [StoredEntry], freshness: ManagedRow.Freshness)? {
    guard let collection = collection(path, of: id, .content) else { return nil }
    return collection.entries[path.owner(in: id)].map { ($0, collection.freshness) }
  }

  /// Returns the instance of the list or map in an any-typed slot of a row, likewise.
  func held(
    by id: RowID, at path: FieldPath
  ) -> (held: PageCollection.Held, freshness: ManagedRow.Freshness)? {
    guard let collection = collection(path, of: id, .kind) else { return nil }
    return collection.held[path.owner(in: id)].map { ($0, collection.freshness) }
  }

  /// Returns the contents of the rows in a collection; nil as long as only one row's are wanted.
  private func collection(
    _ path: FieldPath, of id: RowID, _ question: PageCollection.Question
  ) -> PageCollection? {
    let depth = path.depth
    let owner = path.owner(in: id)
    guard var collection = collections[depth] else {
      follows += 1
      collections[depth] = PageCollection(askedFor: owner, question)
      return nil
    }
    if !collection.isRead {
      guard collection.isWanted(by: owner, question) else { return nil }
      follows += 1
      collection.read(depth, in: table, of: owners(at: depth))
      collections[depth] = collection
    }
    return collection.freshness.version == table.store.version ? collection : nil
  }

  /// The rows, or the elements that hold a list or map, in the order in which they are likely to be read.
  private func owners(at depth: FieldPath) -> [Int64] {
    guard let outer = depth.outer else { return order.prefix(Self.size).map(\.rawValue) }
    guard let collection = collections[outer],
      collection.freshness.version == table.store.version
    else { return [] }
    return collection.holders
  }

  private var order: [RowID] { ids.isEmpty ? rows.map(\.id) : ids }

  /// The elements of a row's collection with those of the rows after it; nil if they are not known, or
  /// are too many.
  func window(of id: RowID, in path: FieldPath) -> ElementWindow? {
    guard path.depth.outer == nil, let collection = collections[path],
      collection.freshness.version == table.store.version
    else { return nil }
    return collections[path]?.window(of: id, among: order)
  }
}

extension ObjectRow {
  /// Returns the target of a link, which may be an any-typed one.
  fileprivate func link(_ column: Int, to target: ClassID) -> RowID? {
    if case .link(target, let id)? = others[column] { return id }
    if case .int(let id) = columns[column] { return RowID(id) }
    return nil
  }
}
