import AtollStorage
import AtollVocabulary

/// One entry of the conflict ledger; a line of JSON of `atoll conflicts`.
package struct ConflictRow: Codable, Hashable, Sendable {
  /// One of the two writes.
  package struct Side: Codable, Hashable, Sendable {
    package let value: String
    package let author: String?
    /// The name of the author's replica; nil if nobody named it.
    package let name: String?
    /// Hybrid time: milliseconds since 1970 and a counter, joined by a plus sign.
    package let time: String?

    init(_ side: ConflictSide, _ names: ReplicaNames) {
      value = "\(side.value)"
      author = side.author.map { "\($0)" }
      name = side.author.flatMap { names[$0.replica] }
      time = side.time.map { "\($0)" }
    }
  }

  /// Its place in the ledger, which only grows.
  package let number: Int64
  package let `class`: String
  package let key: String
  /// The way to the cell, for people; empty for the object as a whole.
  package let path: String
  /// The number of the rule by which one of the two lost.
  package let rule: Int64
  package let losing: Side
  package let winning: Side

  init(_ conflict: Conflict, _ names: ReplicaNames) {
    number = conflict.number
    `class` = conflict.className
    key = "\(conflict.key)"
    path = conflict.path
    rule = conflict.rule.rawValue
    losing = Side(conflict.losing, names)
    winning = Side(conflict.winning, names)
  }

  /// The rule in words.
  package var reason: String { ConflictRule(rawValue: rule).map { "\($0)" } ?? "rule \(rule)" }
}

extension Inspection {
  /// The entries of the ledger, oldest first: writes that were lost to concurrent ones.
  ///
  /// - Parameters:
  ///   - className: Only of this class; nil for all.
  ///   - key: Only of the object with this primary key, as people write it.
  /// - Returns: A row an entry.
  /// - Throws: `InspectionError` for what there is not, or `StorageError`.
  package func conflicts(
    of className: String? = nil, key: String? = nil
  ) throws -> [ConflictRow] {
    try atOneMoment {
      let subject = try className.map { try self.subject($0) }
      let key = try key.map { try subject?.key($0) ?? .null }
      let names = try file.replicaNames()
      return try file.conflicts(of: subject?.stored.id, key: key).map { ConflictRow($0, names) }
    }
  }
}
