package import AtollChanges
package import AtollVocabulary

/// The changes of one SQLite transaction; the one value that leaves by ``StoreFile/onCommit``.
///
/// A local write and a batch from a peer end in the same value; ``origin`` is for display only.
package struct Commit: Hashable, Sendable {
  package enum Origin: UInt8, Hashable, Sendable {
    case local = 0
    case remote = 1
    /// Tables or columns were added and nothing else.
    case schema = 2
  }

  package var number: CommitNumber
  package var origin: Origin
  /// Ascending by class; classes that did not change are absent.
  package var changes: [ClassChanges]
  /// The authors of whom this commit held or applied something, each with its last changeset held,
  /// ascending by author.
  package var heads: [ChangesetID]

  package init(
    number: CommitNumber, origin: Origin, changes: [ClassChanges], heads: [ChangesetID]
  ) {
    self.number = number
    self.origin = origin
    self.changes = changes
    self.heads = heads
  }
}

/// The changes of a commit to the objects of one class.
package struct ClassChanges: Hashable, Sendable {
  package struct Modification: Hashable, Sendable {
    package var id: RowID
    package var columns: ColumnSet

    package init(id: RowID, columns: ColumnSet) {
      self.id = id
      self.columns = columns
    }
  }

  package var classID: ClassID
  /// More objects than `Limits.effectObjects` changed: the three lists are empty, ask again.
  package var isWhole: Bool
  /// Ascending; an object inserted and deleted by one commit is in neither list.
  package var inserted: [RowID]
  /// Ascending.
  package var deleted: [RowID]
  /// Ascending; without the inserted and the deleted.
  package var modified: [Modification]

  package init(
    classID: ClassID, isWhole: Bool = false, inserted: [RowID] = [], deleted: [RowID] = [],
    modified: [Modification] = []
  ) {
    self.classID = classID
    self.isWhole = isWhole
    self.inserted = inserted
    self.deleted = deleted
    self.modified = modified
  }
}

/// Columns of a class, by index in ``StoredClass/columns``.
package struct ColumnSet: Hashable, Sendable {
  /// Bit n for column n; bit 63 for every column from 63 on.
  package private(set) var bits: UInt64

  package init(bits: UInt64 = 0) { self.bits = bits }

  /// Every column.
  package static let all = ColumnSet(bits: .max)

  package func contains(_ column: Int) -> Bool { bits & (1 << UInt64(min(column, 63))) != 0 }
  package mutating func insert(_ column: Int) { bits |= 1 << UInt64(min(column, 63)) }
  package mutating func formUnion(_ other: ColumnSet) { bits |= other.bits }
  package func isDisjoint(with other: ColumnSet) -> Bool { bits & other.bits == 0 }
}
