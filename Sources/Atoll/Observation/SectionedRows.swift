import AtollQuery
import AtollStorage
import AtollVocabulary

/// The rows of each section, in order.
struct SectionRows<Key: Hashable> {
  private(set) var keys: [Key] = []
  /// As many as there are keys; apart from these, so that what looks at rows only does not pay for them.
  var ids: [[RowID]] = []

  mutating func append(_ key: Key, _ rows: [RowID]) {
    keys.append(key)
    ids.append(rows)
  }

  /// Some of the sections, in another order.
  func picked(_ places: [Int]) -> SectionRows {
    var picked = SectionRows()
    picked.keys = places.map { keys[$0] }
    picked.ids = places.map { ids[$0] }
    return picked
  }
}

/// The rows of sections, kept up with commits row by row.
///
/// The cost of a commit is a few statements for the rows that may have come, gone or moved, in the
/// sections where they were and are, and a step for each section and each row, which reads nothing.
struct SectionedRows<Key: Hashable> {
  private(set) var sections: SectionRows<Key>
  /// True if no two sections have one key, as they can where a type of the application's says so.
  private let areDistinct: Bool

  init(_ sections: SectionRows<Key>) {
    self.sections = sections
    areDistinct = Set(sections.keys).count == sections.keys.count
  }

  /// The number of rows in all sections.
  var count: Int { sections.ids.reduce(0) { $0 + $1.count } }

  /// Places some rows anew, in the order of a query; `keys` are the sections of those that it has.
  ///
  /// `modified` are rows whose changes are told. Nil, with nothing done, if the sections have to be read.
  mutating func replace(
    _ rows: [RowID], keys: [RowID: Key], _ modified: ChangedObjects, _ query: StoreQuery,
    in store: Store
  ) throws(Store.Error) -> SectionsDifference? {
    guard areDistinct else { return nil }
    var work = SectionWork(sections, query, in: store)
    work.take(RowSearch(rows))
    let groups = Dictionary(grouping: rows.filter { keys[$0] != nil }) { keys[$0] }
    guard try work.put(groups), let order = try work.order(moved: Set(rows)) else { return nil }
    let changed = modified.search
    let differences = order.map { place in
      let modifications = changed.indices(in: work.sections.ids[place])
      return work.replacements[place].map { .init($0, modifications: modifications) }
        ?? ResultsDifference(modifications: modifications)
    }
    let count = sections.keys.count
    let isSame = order.count == count && order.indices.allSatisfy { order[$0] == $0 }
    sections = isSame ? work.sections : work.sections.picked(order)
    return SectionsDifference(
      origins: order.map { $0 < count ? $0 : nil }, of: count, rows: differences)
  }

  /// Takes sections that were read, and compares.
  mutating func replace(
    with present: SectionRows<Key>, _ modified: ChangedObjects
  ) -> SectionsDifference {
    let places = Dictionary(
      sections.keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let origins = present.keys.map { places[$0] }
    let differences = zip(present.ids, origins).map { ids, origin in
      ResultsDifference(
        from: origin.map { sections.ids[$0] } ?? [], to: ids, isAscending: false,
        isModified: modified.contains)
    }
    let count = sections.keys.count
    self = SectionedRows(present)
    return SectionsDifference(origins: origins, of: count, rows: differences)
  }
}

/// Sections from which rows are taken, and into which they are put, each where it belongs.
private struct SectionWork<Key: Hashable> {
  /// Those there were, at their places, and then new ones; some may be empty.
  var sections: SectionRows<Key>
  /// The changes of the touched sections, by their places here.
  var replacements: [Int: RowReplacement] = [:]
  /// The first rows that touched sections had.
  private var firsts: [Int: RowID] = [:]
  private let query: StoreQuery
  private let store: Store

  init(_ sections: SectionRows<Key>, _ query: StoreQuery, in store: Store) {
    (self.sections, self.query, self.store) = (sections, query, store)
  }

  mutating func take(_ rows: RowSearch) {
    for place in sections.ids.indices {
      let indices = rows.indices(in: sections.ids[place])
      if indices.isEmpty { continue }
      touch(place) { ids, replacement in
        replacement.taken = indices.map { (ids[$0], $0) }
        for index in indices.reversed() { ids.remove(at: index) }
      }
    }
  }

  /// Puts rows into the sections of their keys; false if they have to be read.
  mutating func put(_ groups: [Key?: [RowID]]) throws(Store.Error) -> Bool {
    var rest = groups
    for place in sections.keys.indices {
      if rest.isEmpty { return true }
      guard let rows = rest.removeValue(forKey: sections.keys[place]) else { continue }
      guard try put(rows, into: place) else { return false }
    }
    for case (let key?, let rows) in rest {
      sections.append(key, [])
      guard try put(rows, into: sections.keys.count - 1) else { return false }
    }
    return true
  }

  private mutating func put(_ rows: [RowID], into place: Int) throws(Store.Error) -> Bool {
    let placing = RowPlacing(query: query, others: sections.ids[place], store: store)
    guard let placed = try placing.places(of: rows) else { return false }
    touch(place) { ids, replacement in
      replacement.placed = placed
      for (offset, place) in placed.enumerated() { ids.insert(place.row, at: place.gap + offset) }
    }
    return true
  }

  private mutating func touch(
    _ place: Int, _ body: (inout [RowID], inout RowReplacement) -> Void
  ) {
    if replacements[place] == nil { firsts[place] = sections.ids[place].first }
    body(&sections.ids[place], &replacements[place, default: RowReplacement()])
  }

  /// The places here of the sections that are not empty, in the order of their first rows.
  ///
  /// `moved` are rows that may have another place among all than before. Nil if they have to be read.
  func order(moved: Set<RowID>) throws(Store.Error) -> [Int]? {
    var loose: [RowID: Int] = [:]
    for place in replacements.keys {
      guard let first = sections.ids[place].first else { continue }
      if first != firsts[place] || moved.contains(first) { loose[first] = place }
    }
    let isLoose = Set(loose.values)
    var order = sections.ids.indices.filter {
      !sections.ids[$0].isEmpty && !isLoose.contains($0)
    }
    if loose.isEmpty { return order }
    let others = order.map { sections.ids[$0][0] }
    let placing = RowPlacing(query: query, others: others, store: store)
    guard let placed = try placing.places(of: loose.keys.sorted()) else { return nil }
    for (offset, place) in placed.enumerated() {
      guard let section = loose[place.row] else { return nil }
      order.insert(section, at: place.gap + offset)
    }
    return order.count == isLoose.count + others.count ? order : nil
  }
}
