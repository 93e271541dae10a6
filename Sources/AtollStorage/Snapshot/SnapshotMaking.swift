import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// Makes a snapshot of a file while others write to it, a few pages at a time.
///
/// A second connection reads one moment; the pages go into the file by short transactions. Until it is
/// done the write-ahead log cannot begin anew, so it grows by as much as the snapshot has.
package final class SnapshotMaking {
  private let file: StoreFile
  private let reader: StoreFile
  private let source: SnapshotSource
  private var writer = SnapshotWriter()
  private let number: Int64
  private var page = 0
  private var objects: Int64 = 0
  private var hash = ChainHash.snapshotOrigin
  private var isAtEnd = false

  /// Pages written in one transaction.
  private static let pagesAtOnce = 16

  /// Pins the file's present state.
  ///
  /// - Throws: ``StorageError`` if the file cannot be read or written.
  package init(of file: StoreFile) throws(StorageError) {
    self.file = file
    let reader = try StoreFile.open(
      file.path, options: StoreOptions(isReadOnly: true, disk: file.options.disk))
    self.reader = reader
    do {
      (number, source) = try file.doing("beginning a snapshot") {
        try reader.startRead()
        reader.state = try StoreState(reading: reader.connection)
        try reader.rereadAuthors()
        guard try !reader.log.hasDemoted else {
          throw StorageError.notYet(
            path: file.path, doing: "making a snapshot",
            detail: "changesets are deferred since the clock was put right",
            remedy: "Wait until the clock has caught up, as `atoll status` shows")
        }
        let number = try file.quietly("beginning a snapshot") {
          try file.beginSnapshot(.growing, id: nil)
        }
        return (number, SnapshotSource(of: reader, sealsFrom: reader))
      }
    } catch {
      reader.close()
      throw error
    }
  }

  /// Of what another file holds, to which nobody writes; its pages go into this one.
  init(of former: StoreFile, into file: StoreFile) throws {
    self.file = file
    reader = former
    try former.startRead()
    number = try file.quietly("beginning a snapshot") {
      try file.beginSnapshot(.growing, id: nil)
    }
    source = SnapshotSource(of: former, sealsFrom: file)
  }

  deinit { reader.close() }

  /// Writes some more pages; whether there are none any more.
  ///
  /// - Throws: ``StorageError`` if a file fails; what was written is of no use then.
  package func advance() throws(StorageError) -> Bool {
    try file.doing("making a snapshot") {
      try file.quietly("making a snapshot") {
        for _ in 0..<Self.pagesAtOnce {
          guard let bytes = try nextPage() else {
            try file.setObjects(objects, ofSnapshot: number)
            try file.setState(.whole, ofSnapshot: number)
            return true
          }
          hash = hash.following(bytes)
          try file.append(page: bytes, hash, to: number, at: page)
          page += 1
        }
        return false
      }
    }
  }

  private func nextPage() throws -> [UInt8]? {
    while !isAtEnd {
      if let page = writer.nextPage() { return page }
      if let record = try source.next() {
        if case .row(let row) = record, case .object = row.subject { objects += 1 }
        writer.append(record)
      } else {
        writer.finish()
        isAtEnd = true
      }
    }
    return writer.nextPage(isLast: true)
  }
}

extension StoreFile {
  /// Makes a snapshot of what the file holds now, for others to begin with.
  ///
  /// Makes none as long as ``isFitForSnapshots()`` is false.
  package func makeSnapshot() throws(StorageError) {
    guard try isFitForSnapshots() else { return }
    let making = try SnapshotMaking(of: self)
    while try !making.advance() {}
  }

  /// Tells if others would take a snapshot of this file: all who wrote here are admitted, in a store that has owners,
  /// and have signed where their chains end.
  package func isFitForSnapshots() throws(StorageError) -> Bool {
    try doing("looking who wrote here") {
      try snapshot { try unadmitted(in: appliedHeads) == nil && isSealed }
    }
  }

  /// The last changeset applied of each history.
  var appliedHeads: Holdings {
    Holdings(heads: authors.records.filter(\.hasApplied).map(\.head))
  }
}
