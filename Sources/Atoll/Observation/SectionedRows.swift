import AtollStorage
import Foundation

/// The rows of sections, kept up with commits row by row.
///
/// What a commit costs is a step for each row that it brought, took away or moved, the rows of the
/// sections where it did, and a step for each section, which reads nothing.
struct SectionedRows<Key: Hashable> {
  typealias Section = (key: Key, ids: [RowID])

  /// What became of the sections, and where rows are in the present ones.
  struct Difference {
    var (deletions, insertions): ([IndexPath], [IndexPath]) = ([], [])
    var (gone, new): (IndexSet, IndexSet) = (IndexSet(), IndexSet())
    fileprivate var places = Places([])

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && gone.isEmpty && new.isEmpty }

    /// Where the rows of these indices are, without those that came and those of new sections.
    func stayed(_ indices: [Int]) -> [IndexPath] {
      let inserted = Set(insertions)
      return indices.map { places.path($0) }.filter {
        !new.contains($0[0]) && !inserted.contains($0)
      }
    }
  }

  private(set) var sections: [Section] = []
  private var keys: Set<Key> = []

  init(_ sections: [Section]) {
    self.sections = sections
    keys = Set(sections.map(\.key))
  }

  /// All rows, section after section.
  var ids: FlattenSequence<[[RowID]]> { sections.map(\.ids).joined() }

  /// Follows what became of some rows; `key` is the section that a row belongs to.
  ///
  /// Nil, with nothing done, where keys do not tell sections apart, or a row would come into the middle
  /// of another section: then they have to be read.
  mutating func follow(_ replacement: RowReplacement, key: [RowID: Key]) -> Difference? {
    // Several sections can have one key where a type of the application's says so.
    guard keys.count == sections.count else { return nil }
    let before = Places(sections.map(\.ids.count))
    var work = SectionWork(sections)
    let taken = replacement.taken.map { (row: $0.row, path: before.path($0.index)) }
    for (_, path) in taken.reversed() { work.remove(path) }
    work.beginPutting()
    for (row, gap) in replacement.placed.reversed() {
      guard let key = key[row], work.put(row, of: key, gap) else { return nil }
    }
    let present = work.parts
    guard Set(present.map(\.key)).count == present.count else { return nil }
    sections = present.map { ($0.key, $0.ids) }
    keys = Set(present.map(\.key))
    return difference(replacement, taken, present.map(\.old), before)
  }

  /// `origins` are the former indices of the present sections.
  private func difference(
    _ replacement: RowReplacement, _ taken: [(row: RowID, path: IndexPath)], _ origins: [Int?],
    _ before: Places
  ) -> Difference {
    var difference = Difference()
    difference.places = Places(sections.map(\.ids.count))
    difference.new = IndexSet(origins.indices.filter { origins[$0] == nil })
    difference.gone = IndexSet(integersIn: 0..<before.count).subtracting(
      IndexSet(origins.compactMap(\.self)))
    let old = Dictionary(
      taken.map { ($0.row, $0.path[0]) }, uniquingKeysWith: { first, _ in first })
    var stayed: Set<RowID> = []
    let kept = replacement.areKept
    for (offset, place) in replacement.placed.enumerated() {
      let path = difference.places.path(place.gap + offset)
      if kept[offset], let section = old[place.row], origins[path[0]] == section {
        stayed.insert(place.row)
      } else if origins[path[0]] != nil {
        difference.insertions.append(path)
      }
    }
    difference.deletions = taken.compactMap { row, path in
      stayed.contains(row) || difference.gone.contains(path[0]) ? nil : path
    }
    return difference
  }
}

/// Where each section begins among all rows.
private struct Places {
  private var starts: [Int] = []

  var count: Int { starts.count }

  init(_ counts: [Int]) {
    var start = 0
    for count in counts {
      starts.append(start)
      start += count
    }
  }

  /// The section and the index in it of the row at an index.
  func path(_ index: Int) -> IndexPath {
    var (low, high) = (0, starts.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return [low, index - starts[low]]
  }
}

/// Sections from which rows were taken, and into which rows are put, the last first.
private struct SectionWork<Key: Hashable> {
  struct Part {
    var key: Key
    var ids: [RowID]
    /// The section's former index; nil for a new one.
    var old: Int?
    /// Where the rows that were not taken are among all of these.
    var range = 0..<0
  }

  private(set) var parts: [Part]
  /// The former indices of sections that became empty.
  private var emptied: [Key: Int] = [:]

  init(_ sections: [(key: Key, ids: [RowID])]) {
    parts = sections.enumerated().map { Part(key: $1.key, ids: $1.ids, old: $0) }
  }

  mutating func remove(_ path: IndexPath) { parts[path[0]].ids.remove(at: path[1]) }

  /// Called when everything was taken.
  mutating func beginPutting() {
    for part in parts where part.ids.isEmpty { emptied[part.key] = part.old }
    parts.removeAll { $0.ids.isEmpty }
    var start = 0
    for index in parts.indices {
      parts[index].range = start..<start + parts[index].ids.count
      start = parts[index].range.upperBound
    }
  }

  /// Puts a row after `gap` rows that were not taken, and before what was put before.
  ///
  /// False, with nothing done, if that is in the middle of another section.
  mutating func put(_ row: RowID, of key: Key, _ gap: Int) -> Bool {
    let first = firstPart(reaching: gap)
    var index = first
    while index < parts.count, parts[index].range.lowerBound <= gap {
      if parts[index].key == key {
        parts[index].ids.insert(row, at: gap - parts[index].range.lowerBound)
        return true
      }
      index += 1
    }
    var place = first
    if first < parts.count, parts[first].range.lowerBound < gap {
      if parts[first].range.upperBound > gap { return false }
      place += 1
    }
    parts.insert(Part(key: key, ids: [row], old: emptied[key], range: gap..<gap), at: place)
    return true
  }

  /// The first section that does not end before `gap`.
  private func firstPart(reaching gap: Int) -> Int {
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].range.upperBound < gap { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
