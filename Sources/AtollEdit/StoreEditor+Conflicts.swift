import AtollStorage

extension StoreEditor {
  /// Writes lost values once more, and takes their entries out of the ledger; all in one transaction.
  ///
  /// It can be taken back: the values go back, the entries stay out of the ledger.
  ///
  /// - Parameter numbers: Of entries of the conflict ledger.
  /// - Returns: The number of entries and that of the commit.
  /// - Throws: `StorageError.noSuchConflict` and others of the storage, or `EditError`; nothing is written then.
  package func restoreConflicts(_ numbers: [Int64]) throws -> EditOutcome {
    try check(numbers)
    var new = Written()
    let commit = try inTransaction { writer in
      for (index, number) in numbers.enumerated() {
        new.add(try restore(number, writer), of: index)
      }
    }
    remember(new)
    return EditOutcome(edits: numbers.count, commit: commit?.number, canUndo: canUndo)
  }

  /// Takes entries out of the ledger, in one transaction; that cannot be taken back.
  ///
  /// - Parameter numbers: Of entries of the conflict ledger.
  /// - Returns: The number of entries and that of the commit.
  /// - Throws: `StorageError.noSuchConflict` for an entry that is not there; nothing is written then.
  package func dismissConflicts(_ numbers: [Int64]) throws -> EditOutcome {
    try check(numbers)
    let commit = try inTransaction { _ in
      for number in numbers {
        guard try file.conflict(number) != nil else { throw Self.missing(number) }
        try file.dismissConflict(number)
      }
    }
    return EditOutcome(edits: numbers.count, commit: commit?.number, canUndo: canUndo)
  }

  private func check(_ numbers: [Int64]) throws {
    guard 1...Self.editsTogether ~= numbers.count else {
      throw EditError.wrongCount(numbers.count, limit: Self.editsTogether)
    }
  }

  private static func missing(_ number: Int64) -> StorageError {
    .noSuchConflict(number, detail: "the ledger has no such entry any more")
  }

  /// Restores one entry, and compares the object with what it was to know the way back.
  private func restore(_ number: Int64, _ writer: EditWriter) throws -> [InverseEdit] {
    guard let conflict = try file.conflict(number) else { throw Self.missing(number) }
    let name = ObjectName(className: conflict.className, key: conflict.key)
    let object = try writer.find(name)
    let before = try object.flatMap { try writer.reader.line(of: $0) }
    try file.restoreConflict(number)
    guard let object, let before, case .object(let members) = before else { return [] }
    guard let after = try writer.reader.line(of: object) else {
      return [.create(name, members.filter { !["class", "key"].contains($0.name) })]
    }
    return writer.reader.differences(before, after, of: object.subject).map {
      .assign(name, $0, before[$0] ?? .null, written: after[$0] ?? .null)
    }
  }
}
