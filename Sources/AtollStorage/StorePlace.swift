import AtollLog
import AtollSQLite
import AtollVocabulary

/// The file that an open store is in, by which it is seen that another one has taken its place.
struct StorePlace {
  /// Nil if there is no file under the path.
  let facts: FileFacts?
  /// Nanoseconds since 1970.
  let modified: Int64
  /// The last commit that is in the file without its log.
  var mark: LogMark?

  /// As it is now; `connection` is asked where the file is all there is.
  init(_ path: String, of connection: Connection? = nil, disk: FaultDisk?) {
    facts = FileFacts(path: path)
    modified = FileFacts.modified(path: path)
    if let connection, LogFile(of: path) == nil {
      mark = try? LogMark(lastOf: connection)
    } else {
      mark = BareFile(path, disk: disk)?.mark
    }
  }
}

extension StoreFile {
  /// Makes sure that the file under the path is the one that was opened, and holds what it held.
  ///
  /// Only a checkpoint changes the file itself, so that it is read anew only after one. To be called with
  /// the write lock, without which a checkpoint of another process may be under way.
  ///
  /// - Throws: `replaced` if the file is gone, is another one, or was written over.
  func checkPlace() throws {
    guard let place = onDisk.place, place.facts != nil else { return }
    let facts = FileFacts(path: path)
    guard facts == place.facts else {
      let detail = facts == nil ? "there is no file any more" : "another file has its name"
      throw StorageError.replaced(path: path, detail: detail)
    }
    guard FileFacts.modified(path: path) != place.modified else { return }
    var now = StorePlace(path, disk: options.disk)
    if let former = place.mark {
      // A file that is whole only with its log may show any of its marks, or none.
      let isPartial =
        LogFile(of: path) != nil && BareFile.isDatabase(path)
        && connection.mayHavePartialCheckpoint
      let mark = isPartial && now.mark?.token ?? former.token == former.token ? former : now.mark
      guard let mark, mark.token == former.token, mark.number >= former.number else {
        throw StorageError.replaced(path: path, detail: "something else was written over it")
      }
      now.mark = mark
    }
    onDisk.place = now
  }

  /// A number that is another one whenever somebody else, of whatever program, has committed.
  package func commitsOfOthers() throws(StorageError) -> Int64 {
    try doing("looking for new commits") { try connection.integer("PRAGMA data_version") ?? 0 }
  }

  /// Makes sure that nobody has put another file in the place of this one.
  ///
  /// - Throws: `replaced`; `locked` if somebody writes for so long that it cannot be told.
  package func checkReplacement() throws(StorageError) {
    guard lock != nil, let place = onDisk.place else { return }
    // Nobody is waited for if nothing was done to the file.
    if FileFacts(path: path) == place.facts, FileFacts.modified(path: path) == place.modified {
      return
    }
    try underWriteLock("looking at the file") { try checkPlace() }
  }
}
