import AtollChanges
import AtollStorage
import AtollVocabulary

/// The reason why a cell holds what it holds: every write to it that the log has, and its fate.
package struct ExplanationReport: Codable, Hashable, Sendable {
  /// One write.
  package struct Write: Codable, Hashable, Sendable {
    package enum Fate: String, Codable, Hashable, Sendable {
      /// It is what the cell holds, or adds to it.
      case holds
      /// The writer of what holds had seen it.
      case overwritten
      /// It lost to a write that had not seen it.
      case lost
    }

    package let value: String
    package let isDefault: Bool
    package let fate: Fate
    /// The rule by which it lost, in words; nil if it did not.
    package let rule: String?
    package let by: AuthorName
    /// Hybrid time: milliseconds since 1970 and a counter, joined by a plus sign.
    package let time: String
    package let sequence: UInt64
    package let hash: String
    /// True if the property can be given the value once more.
    package let isRestorable: Bool
    /// The peer by which the changeset came; nil if it was written here, or no link brought it.
    package let peer: AuthorName?

    init(_ write: Explanation.Write, _ names: ReplicaNames) {
      value = "\(write.value)"
      isDefault = write.isDefault
      (fate, rule) =
        switch write.fate {
        case .holds: (.holds, nil)
        case .overwritten: (.overwritten, nil)
        case .lost(let rule): (.lost, "\(rule)")
        }
      by = AuthorName(write.changeset.author, names)
      time = "\(write.time)"
      sequence = write.changeset.sequence.rawValue
      hash = "\(write.changeset.hash)"
      isRestorable = write.isRestorable
      peer = write.peer.map { AuthorName($0, names) }
    }
  }

  /// The author of what the cell holds, as the cell remembers it.
  package struct Holder: Codable, Hashable, Sendable {
    package let by: AuthorName
    package let time: String
  }

  package let `class`: String
  package let key: String
  package let path: String
  /// The value that the cell holds now; nil if there is no such object now.
  package let value: String?
  /// Set only if the log does not have the write any more.
  package let holder: Holder?
  /// In the order of the log.
  package let writes: [Write]
  /// True if there were more writes than are listed; the last are.
  package let isCut: Bool
  /// Entries of the ledger about the cell or about what is inside it.
  package let conflicts: [ConflictRow]

  init(_ explanation: Explanation, _ names: ReplicaNames) {
    `class` = explanation.className
    key = "\(explanation.key)"
    path = explanation.path
    value = explanation.value.map { "\($0)" }
    holder = explanation.holder.flatMap { holder in
      let isLogged = explanation.writes.contains {
        $0.changeset.author == holder.author && $0.time == holder.time
      }
      return isLogged
        ? nil : Holder(by: AuthorName(holder.author, names), time: "\(holder.time)")
    }
    writes = explanation.writes.map { Write($0, names) }
    isCut = explanation.isCut
    conflicts = explanation.conflicts.map { ConflictRow($0, names) }
  }
}

extension Inspection {
  /// The reason why a property holds what it holds.
  ///
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - key: The primary key of the object, as people write it.
  ///   - property: The name of the property, through embedded objects with dots between.
  /// - Returns: Every write that the log has, and the entries of the ledger.
  /// - Throws: `InspectionError` for what there is not, or was never written; `StorageError`.
  package func why(
    _ className: String, key: String, property: String
  ) throws -> ExplanationReport {
    try atOneMoment {
      let subject = try subject(className)
      let explanation = try file.explain(
        subject.stored.id, key: try subject.key(key),
        path: property.split(separator: ".").map(String.init))
      guard !explanation.writes.isEmpty || explanation.holder != nil else {
        throw InspectionError.neverWritten(
          "\(explanation.className) \(explanation.key) \(explanation.path)", path: file.path)
      }
      return ExplanationReport(explanation, try file.replicaNames())
    }
  }
}
