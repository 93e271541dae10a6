package import AtollSQLite
package import AtollVocabulary

/// Why the storage could not do what it was asked.
///
/// ``description`` says what was being done, what was found, what was expected, and the remedy.
package enum StorageError: Error, Hashable, Sendable {
  case notADatabase(path: String)
  case notAStore(path: String, applicationID: Int32)
  case newerFormat(path: String, found: Int32, supported: Int32)
  case noSuchFile(path: String)
  case notWritable(path: String, detail: String)
  case diskFull(path: String, doing: String)
  case otherStore(path: String, found: StoreID, expected: StoreID)
  case alreadyExchanged(path: String, store: StoreID)
  case locked(path: String, holder: String?, waited: Duration)
  case damaged(path: String, detail: String)
  case schemaClash(class: String, detail: String)
  case duplicateKey(class: String, key: PersistedValue)
  case noSuchClass(ClassID)
  case noSuchObject(class: String, id: RowID)
  case noSuchProperty(class: String, property: String)
  case noSuchElement(list: String, index: Int, count: Int)
  /// The value's type is not the property's.
  case typeMismatch(property: String, expected: PersistedType, found: String)
  case incrementOfNil(property: String)
  /// The way to a cell leads through an embedded object that is not there.
  case noSuchInstance(property: String)
  case tooLarge(what: String, size: Int, limit: Int)
  case notInTransaction(doing: String)
  case alreadyInTransaction(doing: String)
  case sqlite(SQLiteError, doing: String)
}
