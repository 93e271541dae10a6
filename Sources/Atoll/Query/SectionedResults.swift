import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// Results cut into sections of objects that agree in a key: lazy, and live.
///
/// The key is what the results are sorted by first, so that each section is one run of objects. Keys
/// travel as they are stored: two mapped keys with one stored value are one section.
public final class SectionedResults<Key: Hashable, Element: Object> {
  let results: Results<Element>
  let read: (Results<Element>) -> SectionRows<Key>
  /// True if the sections, one after the other, are the results.
  let areRuns: Bool
  private var sections = SectionRows<Key>()
  /// The index among the results at which each section begins, if they are runs.
  private var starts: [Int] = []
  private var readAt: UInt64?

  init(
    _ results: Results<Element>, areRuns: Bool,
    _ read: @escaping (Results<Element>) -> SectionRows<Key>
  ) {
    self.areRuns = areRuns
    self.results = results
    self.read = read
  }

  /// The store the results belong to.
  public var store: Store { results.store }

  /// The keys of the sections, in order.
  public var allKeys: [Key] { current.keys }

  /// The object at a place: section, then index in it.
  public subscript(path: IndexPath) -> Element {
    guard path.count == 2 else {
      Trap.stop("An index path of \(path.count) parts: a section and an index in it are wanted.")
    }
    return self[path[0]][path[1]]
  }

  var current: SectionRows<Key> {
    results.prepare("Reading sections")
    return store.alone {
      if readAt != store.changeCount { take(read(results)) }
      return sections
    }
  }

  /// Takes the sections that an observer knows to be the present ones.
  func take(_ present: SectionRows<Key>) {
    sections = present
    starts = []
    var start = 0
    for ids in sections.ids where areRuns {
      starts.append(start)
      start += ids.count
    }
    readAt = store.changeCount
  }

  /// The keys of the sections that some rows are in.
  func keys(of rows: [RowID]) -> [RowID: Key] {
    if rows.isEmpty { return [:] }
    var keys: [RowID: Key] = [:]
    let sections = read(results.narrowed(to: results.query.among(rows)))
    for (key, ids) in zip(sections.keys, sections.ids) {
      for row in ids { keys[row] = key }
    }
    return keys
  }

  /// The section of a key; nil if there is none.
  func section(_ key: Key) -> ResultsSection<Key, Element>? {
    current.keys.firstIndex(of: key).map { self[$0] }
  }
}

extension SectionedResults: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { current.keys.count }

  public subscript(index: Int) -> ResultsSection<Key, Element> {
    let sections = current
    guard sections.keys.indices.contains(index) else {
      Trap.stop("Section \(index) is out of bounds of results of \(sections.keys.count) sections.")
    }
    return ResultsSection(
      key: sections.keys[index], ids: sections.ids[index],
      start: areRuns ? starts[index] : nil, readAt: store.changeCount, sections: self)
  }
}

/// The objects of one section, as they were when it was asked for.
public struct ResultsSection<Key: Hashable, Element: Object>: RandomAccessCollection {
  /// The common value of the objects.
  public let key: Key
  fileprivate let ids: [RowID]
  /// The place of the section among the results as of a change count; they read many rows at a
  /// time.
  fileprivate let start: Int?
  fileprivate let readAt: UInt64
  let sections: SectionedResults<Key, Element>
  /// The page that was read last, for what is no run.
  fileprivate let pages = SectionPages()

  private var results: Results<Element> { sections.results }

  fileprivate init(
    key: Key, ids: [RowID], start: Int?, readAt: UInt64, sections: SectionedResults<Key, Element>
  ) {
    self.key = key
    self.ids = ids
    self.start = start
    self.readAt = readAt
    self.sections = sections
  }

  /// A section of which there is no object at present.
  init(absent key: Key, from sections: SectionedResults<Key, Element>) {
    self.init(key: key, ids: [], start: nil, readAt: 0, sections: sections)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ids.count }

  public subscript(index: Int) -> Element {
    guard ids.indices.contains(index) else {
      Trap.stop("Index \(index) is out of bounds of a section of \(ids.count) objects.")
    }
    if let start, readAt == results.store.changeCount { return results[start + index] }
    return results.store.alone {
      let page = pages.page(of: index, among: ids, results.table)
      guard let object = results.table.object(ids[index], of: page) as? Element else {
        Trap.stop("A row of class '\(results.name)' became something else.")
      }
      return object
    }
  }
}

/// The pages of a section whose objects are anywhere among the results.
private final class SectionPages {
  private var page: RowPage?

  func page(of index: Int, among ids: [RowID], _ table: Table) -> RowPage {
    if let page, !page.lacks(ids[index]) { return page }
    let start = index / RowPage.size * RowPage.size
    let page = RowPage(table, of: ids[start...].prefix(RowPage.size))
    self.page = page
    return page
  }
}

extension Results {
  /// The objects in sections by a property, which becomes the first they are sorted by.
  ///
  /// The property may be one that is computed from a single persisted property, such as the first
  /// letter of a name: the objects are then sorted by that one.
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> where Key.PersistedType: _Sortable {
    guard case .computed(let computed) = KeyPathNames.meaning(of: path) else {
      let name = KeyPathNames.text(of: path)
      return sectioned(
        by: path, sortDescriptors: [SortDescriptor(keyPath: name, ascending: ascending)])
    }
    guard computed.readsOneProperty, let name = computed.ways.first else {
      Trap.stop(
        "Sectioning '\(self.name)': \(computed.sentence) To section by it, give sectioned(by:sort"
          + "Descriptors:) the order of the objects.")
    }
    return sectioned(
      by: { $0[keyPath: path] },
      sortDescriptors: [SortDescriptor(keyPath: name, ascending: ascending)])
  }

  /// The objects in sections by a property, sorted by descriptors of which the first is that property.
  ///
  /// By a property that is computed the descriptors may be any.
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> where Key.PersistedType: _Sortable {
    if case .computed = KeyPathNames.meaning(of: path) {
      return sectioned(by: { $0[keyPath: path] }, sortDescriptors: sortDescriptors)
    }
    let name = KeyPathNames.text(of: path)
    guard let first = sortDescriptors.first, first.keyPath == name else {
      Trap.stop(
        "Sectioning '\(self.name)' by '\(name)': the first of the sort descriptors must be that "
          + "property. It is \(sortDescriptors.first.map { "'\($0.keyPath)'" } ?? "missing").")
    }
    let column = column(name, "Sectioning by")
    return SectionedResults(sorted(by: sortDescriptors), areRuns: true) { results in
      var sections = SectionRows<Key>()
      for (stored, ids) in results.runs(of: column) {
        guard let key = Key._decodeElement(stored) else {
          Trap.stop(
            "Could not convert value '\(stored)' to type '\(Key.self)'. "
              + "It is the key of a section of '\(results.name)' by '\(name)'.")
        }
        sections.append(key, ids)
      }
      return sections
    }
  }

  /// The objects in sections by what a function says of them, in the order of the descriptors.
  ///
  /// Objects with one key that are apart in that order come into the section where the first is.
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    guard !sortDescriptors.isEmpty else {
      Trap.stop("Sectioning '\(name)': at least one sort descriptor is needed.")
    }
    return SectionedResults(sorted(by: sortDescriptors), areRuns: false) { results in
      var sections = SectionRows<Key>()
      var places: [Key: Int] = [:]
      for object in results {
        guard let id = object.managedRow?.id else { continue }
        let key = key(object)
        if let place = places[key] {
          sections.ids[place].append(id)
        } else {
          places[key] = sections.keys.count
          sections.append(key, [id])
        }
      }
      return sections
    }
  }

  /// The rows in runs that agree in a column, found with one statement.
  private func runs(of column: QueryPath) -> [(_Stored, [RowID])] {
    guard case .path(let path) = column.expression else { return [] }
    let rows = store.attempt("reading sections of '\(name)'") { file throws(StorageError) in
      try file.values(query, at: path)
    }
    var runs: [(value: PersistedValue, ids: [RowID])] = []
    for row in rows {
      if runs.last?.value == row.value {
        runs[runs.count - 1].ids.append(row.id)
      } else {
        runs.append((row.value, [row.id]))
      }
    }
    return runs.map { (_Stored($0.value), $0.ids) }
  }
}
