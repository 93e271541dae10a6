import AtollChanges
import AtollLog
import AtollSQLite

// The errors of the modules below, each under the case that names its cause.
extension StorageError {
  /// Gives an error of the modules below its meaning for a store.
  ///
  /// - Parameters:
  ///   - error: Of this module, of SQLite, of the system, or of bytes in the file that cannot be decoded.
  ///   - path: Of the store.
  ///   - doing: The work that it ended: "opening X", "creating an object".
  init(_ error: any Error, path: String, doing: String) {
    switch error {
    case let error as StorageError: self = error
    case let error as SQLiteError: self.init(error, path: path, doing: doing)
    case let error as FileFailure: self.init(error, doing: doing)
    case WriteLock.Failure.system(let failure): self.init(failure, doing: doing)
    case WriteLock.Failure.timedOut(let holder, let waited):
      self = .locked(path: path, holder: holder, waited: waited)
    case let error as ChangesetError:
      self = .damaged(path: path, detail: "\(doing): \(error)")
    case let error as MalformedChangeset:
      self = .damaged(path: path, detail: "\(doing): a changeset in it: \(error.detail)")
    case let error as LogDamage: self = .damaged(path: path, detail: error.detail)
    case let error as SnapshotRefusal:
      self = .damaged(path: path, detail: "\(doing): its snapshot: \(error.reason)")
    default: self = .unexpected(detail: "\(error)", doing: doing)
    }
  }

  /// Gives an error of SQLite its meaning; `path` is the store's, since SQLite does not name the file.
  init(_ error: SQLiteError, path: String, doing: String) {
    if error.isDiskFull {
      self = .diskFull(path: path, doing: doing)
    } else if let module = error.missingModule {
      self = .noModule(module, doing: doing)
    } else if error.isOutOfMemory {
      self = .outOfMemory(doing: doing)
    } else {
      self.init(remaining: error, path: path, doing: doing)
    }
  }

  private init(remaining error: SQLiteError, path: String, doing: String) {
    let failure = error.systemFailure(path: path)
    switch error.code.primary {
    case .notADatabase: self = .notADatabase(path: path)
    case .corrupt: self = .damaged(path: path, detail: error.message)
    case .busy:
      self = .locked(
        path: path, holder: LockHolders.writer(of: path), waited: StoreOpening.foreignTimeout)
    case .readOnly where error.code == .moved:
      self = .replaced(path: path, detail: "it was moved or removed")
    case .readOnly, .permission:
      self = .notWritable(path: path, doing: doing, detail: error.message)
    case .cantOpen where failure?.isMissing == true && FileFacts(path: path) != nil:
      // A file beside it that SQLite could not make, and then tried to read; only that has a number.
      self =
        FileFacts.refusal(toWriteBeside: path).map { StorageError($0, doing: doing) }
        ?? .sqlite(error, doing: doing)
    case .inputOutput where failure?.isForbidden != true:
      self = .diskFailed(error, path: path, doing: doing)
    default:
      if let failure {
        self.init(failure, doing: doing)
      } else {
        self = .sqlite(error, doing: doing)
      }
    }
  }

  /// Gives a failed call of the system its meaning.
  init(_ failure: FileFailure, doing: String) {
    if failure.isDiskFull {
      self = .diskFull(path: failure.path, doing: doing)
    } else if failure.isForbidden {
      self = .notWritable(path: failure.path, doing: doing, detail: failure.words)
    } else {
      self = .systemCall(failure, doing: doing)
    }
  }
}
