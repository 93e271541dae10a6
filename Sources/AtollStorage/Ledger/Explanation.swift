package import AtollChanges
import AtollLog
package import AtollVocabulary

/// Why a cell holds what it holds: every write to it that the log has, and what became of each.
package struct Explanation: Hashable, Sendable {
  /// The fate of a write.
  package enum Fate: Hashable, Sendable {
    /// It is what the cell holds, or adds to it.
    case holds
    /// The writer of what holds had seen it.
    case overwritten
    /// It lost to a write that had not seen it.
    case lost(ConflictRule)
  }

  package struct Write: Hashable, Sendable {
    package var changeset: ChangesetID
    package var time: HybridTime
    package var value: LedgerValue
    package var isDefault: Bool
    package var fate: Fate
    /// By which peer the changeset came; nil if it was written here, or no link brought it.
    package var peer: Author?
    /// True if it gave the property a value as a whole, not one inside it and no step.
    package var isWhole: Bool

    /// The hash of the changeset, in hexadecimal digits.
    package var hash: String { "\(changeset.hash)" }

    /// True if the property can be given the value once more.
    package var isRestorable: Bool {
      switch value {
      case .scalar, .link, .embedded, .list, .set, .map: isWhole
      case .step, .moved, .removed, .created, .omitted: false
      }
    }
  }

  /// The author of the cell's value, as the cell itself remembers, whether or not the log still has
  /// the write.
  package struct Holder: Hashable, Sendable {
    package var author: Author
    package var time: HybridTime
  }

  package var className: String
  package var key: PersistedValue
  package var path: String
  /// The present value of the cell; nil if there is no such object now.
  package var value: LedgerValue?
  /// Nil if there is no such object now, or nobody wrote the cell.
  package var holder: Holder?
  /// In the order of the log.
  package var writes: [Write]
  /// True if there were more than are listed; the last are.
  package var isCut: Bool
  /// Entries of the ledger about the cell or about what is inside it.
  package var conflicts: [Conflict]
}
