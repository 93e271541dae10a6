/// Some objects of a listing.
package struct ObjectPage: Codable, Hashable, Sendable {
  /// The names of the columns, the key's first.
  package let columns: [String]
  /// One row an object, `columns.count` cells each.
  package let rows: [[ObjectCell]]
  /// The place of the first row in the listing, from 0.
  package let start: Int
  /// True if nothing follows.
  package let isLast: Bool
}
