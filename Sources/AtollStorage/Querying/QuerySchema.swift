import AtollVocabulary

/// The tables and columns that a query may name, and the collection that it asks.
///
/// The compiler sees a file through this only: a statement depends on the catalogue and on the table
/// of the collection, never on what is in the file.
struct QuerySchema {
  let catalog: Catalog
  /// The collection that is queried; nil for objects of a class, and where it is not there any more.
  let collection: Container?

  func entry(_ id: ClassID) -> ClassEntry? { catalog.entry(id) }

  func has(_ kind: IndexKind, on property: PropertyID) -> Bool { catalog.has(kind, on: property) }

  func objects(_ id: ClassID) throws(StorageError) -> CellTable { try catalog.objects(id) }
}
