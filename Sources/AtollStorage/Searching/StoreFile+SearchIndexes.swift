import AtollQuery
import AtollSQLite
import AtollVocabulary

// Full-text and spatial indexes follow the rows, whoever changes them: what a transaction reports as
// changed is what they are brought up to, before it commits and before a query of it needs them.
// They are made when a model declares them, from the rows that are there, and stay: a file does not
// know which programs will open it, so none of them takes away what another's model may declare.
extension StoreFile {
  /// Makes an index and fills it.
  func makeSearchIndex(_ kind: IndexKind, on property: StoredProperty) throws {
    try catalog.enter(kind, on: property, connection: connection)
    transaction?.changes.searched = catalog.searchedColumns
    guard let index = catalog.searchIndexes.first(where: { $0.property === property }) else {
      return
    }
    try connection.execute(index.creation)
    try tables.fill(index)
  }

  /// Makes every full-text and spatial index anew from the rows.
  ///
  /// - Returns: How many there are.
  package func remakeSearchIndexes() throws(StorageError) -> Int {
    try doing("making the search indexes anew") {
      try begin(.schema, timeout: options.lockTimeout)
      do {
        for index in catalog.searchIndexes {
          try connection.execute("DROP TABLE IF EXISTS \(index.name); \(index.creation)")
          try tables.fill(index)
        }
        _ = try finish(try current("making the search indexes anew"))
        return catalog.searchIndexes.count
      } catch {
        abandon()
        throw error
      }
    }
  }
}
