package import AtollChanges
import AtollLog
package import AtollQuery
import AtollSQLite
package import AtollVocabulary

// The whole file in canonical form: as text, as a digest, and compared with what its log says.
extension StoreFile {
  /// Every object as a line of JSON, by class name, then key; a newline ends each line.
  ///
  /// Equal on replicas that applied the same changesets, whatever the order and the model.
  package func export(to write: (String) -> Void) throws(StorageError) {
    try exportLines(while: { line in
      write(line)
      return true
    })
  }

  /// The lines of ``export(to:)`` up to the one that `wantsMore` answers with false.
  package func exportLines(while wantsMore: (String) -> Bool) throws(StorageError) {
    try doing("reading objects") {
      do {
        try snapshot {
          let reader = CanonicalReader(tables: tables)
          for entry in reader.classes {
            try reader.forEach(of: entry) { object in
              let line = CanonicalText(object, of: entry).text + "\n"
              guard wantsMore(line) else { throw EndOfExport() }
            }
          }
        }
      } catch is EndOfExport {}
    }
  }

  /// Ends the walk over all objects when no more lines are wanted.
  private struct EndOfExport: Error {}

  /// The objects of a query as ``export(to:)`` writes them, in the order of the query.
  package func export(
    _ query: StoreQuery, to write: (String) -> Void
  ) throws(StorageError) {
    try doing("reading objects") {
      try snapshot {
        let entry = try objects(query.source).owner
        let rows = try compiled(query, .ids)
        defer { caches.queries.give(rows) }
        try CanonicalReader(tables: tables).forEach(of: entry, listedBy: rows) {
          write(CanonicalText($0, of: entry).text + "\n")
        }
      }
    }
  }

  /// SHA-256 over every object's cells in canonical form, and over what was deleted.
  package func digest() throws(StorageError) -> ChainHash {
    try doing("digesting the objects") {
      try snapshot {
        let reader = CanonicalReader(tables: tables)
        let digest = CanonicalDigest()
        for entry in reader.classes {
          try reader.forEach(of: entry) { digest.update($0, of: entry) }
          try reader.forEachTombstone(of: entry) { digest.update(tombstone: $0, $1, of: entry) }
        }
        return digest.finish()
      }
    }
  }

  /// The number of live objects of each class, ascending by class name.
  package func counts() throws(StorageError) -> [(class: StoredClass, objects: Int)] {
    try doing("counting the objects") {
      try snapshot {
        try CanonicalReader(tables: tables).classes.map { entry in
          let count = try connection.integer("SELECT count(*) FROM \(entry.table.sql)")
          return (entry.storedClass, Int(count ?? 0))
        }
      }
    }
  }

  /// A changeset in words.
  ///
  /// - Parameters:
  ///   - entry: An entry of the log of this file.
  ///   - limit: Operations that are told, at most.
  /// - Returns: Such as `set Airport LSZH name = "Kloten"`, and the changesets that the author had seen.
  /// - Throws: If the entry cannot be read.
  package func shown(_ entry: LogEntry, limit: Int) throws(StorageError) -> ShownChangeset {
    try doing("reading a changeset") {
      try snapshot {
        var shown = ShownChangeset()
        guard let record = authors[entry.id.author] else { return shown }
        var reader = try ChangesetReader(entry.bytes, author: entry.id.author)
        let source = MergeSource(
          author: numbers[record], time: reader.time, sequence: reader.sequence)
        while shown.operations.count < limit, let operation = try reader.next() {
          shown.operations.append(try OperationText(operation, source, tables: tables).text)
        }
        shown.dependencies = reader.dependencies.compactMap { dependency in
          authors.author(dependency.author, declaredBy: record).map {
            ChangesetID(author: $0.author, sequence: dependency.sequence, hash: dependency.hash)
          }
        }
        return shown
      }
    }
  }

  /// Runs `body` on one snapshot, with the schema and the authors it has.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    if version.isReading || transaction != nil {
      try refreshAuthors()
      return try body()
    }
    try startRead()
    defer { try? finishRead() }
    try refreshAuthors()
    return try body()
  }
}
