package import AtollStorage
package import AtollVocabulary

/// A store file opened for single edits, with the memory to take them back.
///
/// Confined to one thread at a time, like the file. What can be taken back is in memory only, and goes with
/// the editor.
package final class StoreEditor {
  /// One transaction that can be taken back: its steps in the order of the edits, with their indices.
  struct Written {
    var steps: [(index: Int, inverse: InverseEdit)] = []
    var byteCount = 0

    /// Adds the steps of one edit; what would be too large is dropped, and nothing is added to it.
    mutating func add(_ inverses: [InverseEdit], of index: Int) {
      guard byteCount <= undoBytes else { return }
      byteCount += inverses.reduce(0) { $0 + $1.byteCount }
      steps += inverses.map { (index, $0) }
      if byteCount > undoBytes { steps = [] }
    }
  }

  let file: StoreFile
  private var written: [Written] = []
  private var successors = Successors()
  /// Edits of one transaction at most.
  package static let editsTogether = 10_000
  /// Transactions that can be taken back at most; the oldest is forgotten for the next.
  package static let undoDepth = 100
  /// The memory for what can be taken back, without what is the same for every step.
  ///
  /// The oldest transactions are forgotten for the next; one that is larger by itself cannot be taken back, and
  /// those before it are forgotten too.
  package static let undoBytes = 64 << 20

  /// Opens the store at a path for writing.
  ///
  /// - Parameters:
  ///   - path: A store file, which has to be there.
  ///   - lockTimeout: How long a transaction waits for another process to end its own; nil for the default.
  /// - Throws: `StorageError` if there is none, or it cannot be written.
  package init(path: String, lockTimeout: Duration? = nil) throws(StorageError) {
    var options = StoreOptions(mayCreate: false)
    if let lockTimeout { options.lockTimeout = lockTimeout }
    file = try StoreFile.open(path, options: options)
  }

  /// Ends the editing.
  package func close() { file.close() }

  /// True if ``undo(isForced:)`` has something to take back.
  package var canUndo: Bool { !written.isEmpty }

  /// Writes edits in one transaction, which becomes one changeset; all of them or none.
  ///
  /// - Parameter edits: Performed in their order, so that one may mean what the one before has made.
  /// - Returns: The number of edits and that of the commit.
  /// - Throws: `EditError` with the index of the edit that is wrong, or `StorageError` if the store does not go
  ///   on; nothing is written then.
  package func write(_ edits: [StoreEdit]) throws -> EditOutcome {
    guard 1...Self.editsTogether ~= edits.count else {
      throw EditError.wrongCount(edits.count, limit: Self.editsTogether)
    }
    var new = Written()
    let commit = try inTransaction { writer in
      for (index, edit) in edits.enumerated() {
        do {
          new.add(try writer.perform(edit), of: index)
        } catch {
          throw EditError(error, at: index) ?? error
        }
      }
    }
    remember(new)
    return EditOutcome(edits: edits.count, commit: commit?.number, canUndo: canUndo)
  }

  /// Takes back the last transaction that was written here and is not taken back yet, as a new transaction.
  ///
  /// A deleted object is made again in a new generation: it holds what it held, but links to it that were in
  /// other objects stay nil, and without a primary key it gets another hidden key. An integer is stepped back,
  /// whoever has changed it since. A removed element comes back as a new one at its index.
  ///
  /// - Parameter isForced: What was changed since is overwritten, and what is gone is left out.
  /// - Returns: The number of steps that were made and left out, and that of the commit.
  /// - Throws: `EditError.nothingToUndo`; `changedSince` or `gone` if it is not forced, with the index of the edit
  ///   in its transaction; `StorageError`. Nothing is written then, and the undo can be asked for again.
  package func undo(isForced: Bool = false) throws -> EditOutcome {
    guard let last = written.last else { throw EditError.nothingToUndo }
    var successors = successors
    var skipped = 0
    let commit = try inTransaction { writer in
      for (index, inverse) in last.steps.reversed() {
        do {
          try writer.perform(inverse, &successors, isForced: isForced)
        } catch {
          guard let error = EditError(error, at: index) else { throw error }
          guard isForced else { throw error }
          skipped += 1
        }
      }
    }
    written.removeLast()
    self.successors = successors
    return EditOutcome(
      edits: last.steps.count - skipped, skipped: skipped, commit: commit?.number,
      canUndo: canUndo)
  }

  // MARK: Transactions

  /// Runs `body` in one write transaction, and rolls it back if that throws.
  func inTransaction(_ body: (inout EditWriter) throws -> Void) throws -> Commit? {
    try file.beginWrite()
    do {
      var writer = try EditWriter(file)
      try body(&writer)
    } catch {
      file.rollback()
      throw error
    }
    return try file.commitWrite()
  }

  /// Keeps the steps that take a transaction back; of one that changed nothing there are none.
  func remember(_ new: Written) {
    guard new.byteCount <= Self.undoBytes else { return written = [] }
    guard !new.steps.isEmpty else { return }
    written.append(new)
    var byteCount = written.reduce(0) { $0 + $1.byteCount }
    while written.count > Self.undoDepth || byteCount > Self.undoBytes {
      byteCount -= written.removeFirst().byteCount
    }
  }
}

/// The end of a transaction of edits.
package struct EditOutcome: Hashable, Sendable {
  /// Edits that were written, or steps that took some back.
  package let edits: Int
  /// Steps of a forced undo whose object or element is gone, or whose value does not fit any more.
  package let skipped: Int
  /// The commit; nil if nothing was changed.
  package let commit: CommitNumber?
  /// True if there is something to be taken back.
  package let canUndo: Bool

  package init(edits: Int, skipped: Int = 0, commit: CommitNumber?, canUndo: Bool) {
    self.edits = edits
    self.skipped = skipped
    self.commit = commit
    self.canUndo = canUndo
  }
}
