import AtollLog
package import AtollSQLite
package import AtollVocabulary

/// Why the storage could not do what it was asked.
///
/// ``message`` says of each case what failed, what was found, and what to do.
package enum StorageError: Error, Hashable, Sendable {
  case notADatabase(path: String)
  case notAStore(path: String, applicationID: Int32)
  case otherFormat(path: String, found: Int32, supported: Int32)
  /// Something in the schema of the file that no build of Atoll made, and the SQL that removes it.
  case foreignObject(path: String, what: String, name: String, remedy: String)
  case noSuchFile(path: String)
  /// No file can be at this path.
  case wrongPath(path: String, detail: String, remedy: String)
  /// The user of this process may not write the file or its folder, or nobody may.
  case notWritable(path: String, doing: String, detail: String)
  /// Writing through a file that was opened for reading.
  case openedForReading(path: String, doing: String)
  /// Something that has to wait for something else, and what to do until then.
  case notYet(path: String, doing: String, detail: String, remedy: String)
  case diskFull(path: String, doing: String)
  case otherStore(path: String, found: StoreID, expected: StoreID)
  case alreadyExchanged(path: String, store: StoreID)
  /// Something that only an owner of the store may do.
  case notOwner(path: String, doing: String, owners: [ReplicaID])
  /// Something that only an owner may do, where the store has none.
  case noOwners(path: String, doing: String)
  /// Removing an owner, which nobody may.
  case ownerStays(path: String, owner: ReplicaID)
  /// Writing in a file whose replica an owner of the store has removed, or admitting such a replica.
  case removed(path: String, doing: String, replica: ReplicaID)
  /// A write-ahead log that another file has left beside this one.
  case foreignLog(path: String, detail: String)
  /// Another file has taken the place of the one that is open.
  case replaced(path: String, detail: String)
  case locked(path: String, holder: String?, waited: Duration)
  /// More versions of the file are in use than its opener allows; who shows which, oldest first.
  case tooManyVersions(path: String, count: Int, limit: Int, holders: [String])
  /// A version that was to be shown for good was ended for the sake of the write-ahead log.
  case versionEnded(path: String)
  case nothingDeferred(Author)
  case doubtfulClock(path: String, now: WallTime, others: Int)
  /// The next stamp would be later than anybody takes.
  case clockOutOfRange(path: String, now: WallTime, last: HybridTime)
  case damaged(path: String, detail: String)
  case schemaClash(class: String, detail: String)
  case duplicateKey(class: String, key: PersistedValue)
  case noSuchClass(ClassID)
  case noSuchObject(class: String, id: RowID)
  case noSuchProperty(class: String, property: String)
  /// A search by words in a property that has no index of them.
  case noFullTextIndex(class: String, property: String)
  /// This SQLite was built without what the file needs.
  case noModule(String, doing: String)
  case noSuchElement(list: String, index: Int, count: Int)
  /// The value's type is not the property's.
  case typeMismatch(property: String, expected: PersistedType, found: String)
  case incrementOfNil(property: String)
  /// The way to a cell leads through an embedded object that is not there.
  case noSuchInstance(property: String)
  case tooLarge(what: String, size: Int, limit: Int)
  /// A query that is beyond a bound of the SQLite library, in its own words.
  case tooComplex(detail: String)
  /// An entry of the conflict ledger whose value cannot be restored, with the reason.
  case noSuchConflict(Int64, detail: String)
  /// A link cannot be made to an object that is not there.
  case noSuchTarget(class: String, key: PersistedValue)
  case notInTransaction(doing: String)
  case alreadyInTransaction(doing: String)
  case alreadyThere(path: String, doing: String, remedy: String)
  /// Somebody has the file open.
  case inUse(path: String, doing: String)
  /// A copy that is not what its log says, a sentence for each fault.
  case unsound(path: String, doing: String, findings: [String])
  /// A call of the system about a file that failed for a reason which no other case names.
  case systemCall(FileFailure, doing: String)
  /// The disk or the file system failed while SQLite read or wrote.
  case diskFailed(SQLiteError, path: String, doing: String)
  case outOfMemory(doing: String)
  /// Whatever else SQLite refuses, in its words.
  case sqlite(SQLiteError, doing: String)
  /// An error of another module that the storage does not expect: a mistake of Atoll.
  case unexpected(detail: String, doing: String)
}
