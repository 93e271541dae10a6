import AtollStorage
import AtollVocabulary

/// Some rows that are sought among many; looks at all of these, at a nanosecond or two each.
struct RowSearch {
  /// Nil for every row.
  private let sought: Set<RowID>?
  /// Most of the others are told by six bits.
  private let bits: UInt64

  init(_ rows: some Sequence<RowID>) { self.init(either: Set(rows)) }

  /// Of nil, every row is sought.
  init(either rows: Set<RowID>?) {
    sought = rows
    bits = rows?.reduce(0) { $0 | 1 << UInt64($1.rawValue & 63) } ?? .max
  }

  /// Returns the indices of the rows, ascending.
  func indices(in rows: ChunkedArray<RowID>) -> [Int] {
    guard let sought else { return Array(rows.indices) }
    guard let only = sought.first?.rawValue else { return [] }
    if sought.count == 1 { return rows.indices { $0.rawValue == only } }
    return rows.indices { has($0, among: sought) }
  }

  /// Returns the indices of the rows, ascending.
  func indices(in rows: [RowID]) -> [Int] {
    guard let sought else { return Array(rows.indices) }
    guard let only = sought.first?.rawValue else { return [] }
    return rows.withUnsafeBufferPointer { rows in
      var found: [Int] = []
      if sought.count == 1 {
        for index in rows.indices where rows[index].rawValue == only { found.append(index) }
      } else {
        for index in rows.indices where has(rows[index], among: sought) { found.append(index) }
      }
      return found
    }
  }

  @inline(__always)
  private func has(_ row: RowID, among sought: Set<RowID>) -> Bool {
    bits >> UInt64(row.rawValue & 63) & 1 == 1 && sought.contains(row)
  }
}
