import AtollSQLite
import AtollVocabulary

extension StorageError {
  /// The three sentences of an error: what failed, what was found, and what to do.
  package struct Message: Hashable, Sendable {
    /// The work that failed, as it stands before a colon: "opening X".
    package let failed: String
    package let found: String
    package let remedy: String

    fileprivate init(_ failed: String, _ found: String, _ remedy: String) {
      self.failed = failed
      self.found = found
      self.remedy = remedy
    }
  }
}

extension StorageError: CustomStringConvertible {
  package var description: String {
    let message = message
    return "\(message.failed): \(message.found). \(message.remedy)"
  }
}

extension StorageError {
  /// The sentences of this error; the page `Errors.md` lists those of all cases, and is compared with them.
  package var message: Message {
    switch self {
    // MARK: Opening
    case .notADatabase(let path):
      Message(
        "opening \(path)", "the file is not a database; expected a store file",
        "Check the path, or restore the file from a backup; it was not changed")
    case .notAStore(let path, let id):
      Message(
        "opening \(path)",
        "the database belongs to another program (application id \(id)); expected a store file",
        "Choose another path; the file was not changed")
    case .otherFormat(let path, let found, let supported):
      Message(
        "opening \(path)", "the file has format \(found), this build reads format \(supported)",
        found > supported
          ? "Update the program; the file was not changed"
          : "Export it with the build that made it, and import that; the file was not changed")
    case .foreignObject(let path, let what, let name, let remedy):
      Message(
        "opening \(path)",
        "the file has \(what) \(name.debugDescription), which Atoll did not make",
        "Copy the file, and remove it there with the sqlite3 program: \(remedy.debugDescription); "
          + "the file was not changed")
    case .noSuchFile(let path):
      Message(
        "opening \(path)", "there is no such file",
        "Check the path, or make the store with atoll init")
    case .wrongPath(let path, let detail, let remedy):
      Message("opening \(path.isEmpty ? "a store without a path" : path)", detail, remedy)
    case .otherStore(let path, let found, let expected):
      Message(
        "opening \(path)", "the file belongs to store \(found), expected store \(expected)",
        "Open the right file, or join the store with atoll join")
    case .alreadyExchanged(let path, let store):
      Message(
        "joining another store", "\(path) has exchanged changes in store \(store) already",
        "Start with a new file: only a store that has met nobody can join")
    case .notOwner(let path, let doing, let owners):
      Message(
        doing, "\(path) is of no owner of the store",
        "Do it at a replica that is: \(owners.map(\.description).joined(separator: ", "))")
    case .noOwners(let path, let doing):
      Message(
        doing, "the store of \(path) has no owners: whoever may connect may write",
        "Nothing is to be done; a store has owners unless it is made with atoll init --no-owners, or with an id of somebody's choice"
      )
    case .ownerStays(let path, let owner):
      Message(
        "removing replica \(owner)", "it is an owner of the store of \(path), and owners stay",
        "Take its node out of the rosters with atoll peer remove; if its key is in other hands, start a new "
          + "store with what this one has")
    case .removed(let path, let doing, let replica):
      Message(
        doing, "an owner of the store has removed replica \(replica), for good",
        "Make a new replica of the store with atoll clone or atoll join, and have an owner admit that; what "
          + "\(path) has can be read and exported")
    case .foreignLog(let path, let detail):
      Message(
        "opening \(path)",
        "the write-ahead log \(path)-wal does not belong to the file: \(detail)",
        "Put the file back that the log belongs to, or move \(path)-wal and \(path)-shm away, "
          + "which gives up what is in them, or replace the store with atoll restore; nothing was "
          + "changed")
    case .damaged(let path, let detail):
      Message(
        "reading \(path)", "the file is damaged: \(detail)",
        "Run atoll verify, or restore a backup")
    // MARK: The system
    case .notWritable(let path, let doing, let detail):
      Message(
        doing, "no permission for \(path): \(detail)",
        "Check the permissions of the file and its folder, or open it for reading")
    case .openedForReading(let path, let doing):
      Message(doing, "\(path) was opened for reading", "Open it for writing")
    case .diskFull(let path, let doing):
      Message(
        doing, "the disk that holds \(path) is full",
        "Make room and try again; what was unfinished is undone")
    case .systemCall(let failure, let doing):
      Message(
        doing, "the system refused \(failure)",
        failure.isOutOfDescriptors
          ? "Close files, or let the process have more of them open (ulimit -n)"
          : "Mend what the system names, and try again")
    case .diskFailed(let error, let path, let doing):
      Message(
        doing,
        "the disk failed that holds \(path): \(error)"
          + (error.systemFailure(path: path).map { "; \($0.words) (error \($0.number))" } ?? ""),
        "Look for faults of the disk in the system's log (dmesg), then run atoll verify")
    case .outOfMemory(let doing):
      Message(
        doing, "there is not enough memory", "End other programs, or let this one have more memory")
    case .noModule(let module, let doing):
      Message(
        doing,
        "the SQLite library of this program was built without \(module), which full-text or "
          + "spatial indexes of the file need",
        "Use a library that has it, or open the store for reading")
    case .sqlite(let error, let doing):
      Message(
        doing, "\(error)",
        "Run atoll verify; if it finds nothing, report this message as a mistake of Atoll")
    case .unexpected(let detail, let doing):
      Message(doing, detail, "Report this message: it is a mistake of Atoll")
    // MARK: Others that use the file
    case .replaced(let path, let detail):
      Message(
        "writing to \(path)", "\(detail), while it was open here",
        "Stop all that have it open, and restore a backup with atoll restore; nothing was "
          + "written")
    case .locked(let path, let holder, let waited):
      Message(
        "writing to \(path)",
        "\(holder ?? "another program") held the write lock for all of \(waited)",
        "Wait for its transaction to end, or end the process")
    case .inUse(let path, let doing):
      Message(
        doing, "an application or a daemon has \(path) open",
        "Stop it first; nothing was changed")
    case .tooManyVersions(let path, let count, let limit, let holders):
      Message(
        "writing to \(path)",
        "\(count) versions of it are in use, at most \(limit) may be; they are held by "
          + holders.joined(separator: ", "),
        "Refresh, invalidate or close the stores that show old versions, or allow more")
    case .versionEnded(let path):
      Message(
        "reading a frozen version of \(path)",
        "it was ended, because it kept the write-ahead log from being shortened for too long",
        "Freeze the store again, and let go of frozen versions sooner")
    // MARK: Time
    case .doubtfulClock(let path, let now, let others):
      Message(
        "repairing \(path)",
        "\(others) changesets of other replicas are ahead of this clock as well, which says "
          + "\(now.milliseconds) ms since 1970 and may be behind",
        "Set the clock first; if it is right and theirs were wrong, repair with --force")
    case .clockOutOfRange(let path, let now, let last):
      Message(
        "writing a changeset to \(path)",
        "the clock says \(now.milliseconds) ms since 1970 and the last stamp has "
          + "\(last.milliseconds) ms, at most \(Limits.stampMilliseconds - 1) ms may be",
        "Compare the clock with that of another machine, and set the clock")
    case .nothingDeferred(let author):
      Message(
        "releasing deferred changesets of \(author)", "none of them are deferred here",
        "Look in atoll status for those of whom some are")
    case .notYet(let path, let doing, let detail, let remedy):
      Message(doing, "\(path) is not ready for it: \(detail)", remedy)
    // MARK: Objects and values
    case .schemaClash(let name, let detail):
      Message("adopting the class \(name)", detail, "Correct the declaration of the class")
    case .duplicateKey(let name, let key):
      Message(
        "creating an object of \(name)", "there is one with the key \(key) already",
        "Change that one, or create with an update policy")
    case .noSuchClass(let id):
      Message(
        "reading class \(id.rawValue)", "the file has no such class",
        "Open the store for writing once, with a model that has the class")
    case .noSuchObject(let name, let id):
      Message(
        "reaching object \(id.rawValue) of \(name)", "it was deleted or never existed",
        "Look for it by its primary key again")
    case .noSuchProperty(let name, let property):
      Message(
        "reaching \(property) of \(name)", "the class has no such property here",
        "Check the name, or declare the property and open the store for writing once")
    case .noFullTextIndex(let name, let property):
      Message(
        "searching \(property) of \(name) by words", "it has no full-text index",
        "Declare it @Persisted(indexed: .fullText) and open the store for writing once")
    case .noSuchElement(let list, let index, let count):
      Message(
        "reaching element \(index) of \(list)", "the list has \(count) elements",
        "Compare the index with the count before")
    case .typeMismatch(let property, let expected, let found):
      Message(
        "giving \(property) a value", "found \(found), expected \(expected)",
        "Give it a value of the property's type")
    case .incrementOfNil(let property):
      Message("incrementing \(property)", "its value is nil", "Assign a number first")
    case .noSuchInstance(let property):
      Message("reaching into \(property)", "there is no object in it now", "Assign one first")
    case .tooLarge(let what, let size, let limit):
      Message(
        "writing \(what)", "\(size) is more than the limit of \(limit)",
        "Make it smaller, or divide it")
    case .tooComplex(let detail):
      Message(
        "compiling a query", "SQLite cannot take it: \(detail)",
        "Put fewer conditions, collections or links inside one another, or filter the results of a "
          + "simpler query")
    case .noSuchConflict(let number, let detail):
      Message(
        "reading entry \(number) of the conflict ledger", detail,
        "List the entries again, or write the value to where it is wanted now")
    case .noSuchTarget(let name, let key):
      Message("linking to \(name) \(key)", "there is no such object now", "Create it first")
    // MARK: Order of calls
    case .notInTransaction(let doing):
      Message(doing, "there is no write transaction", "Begin one first")
    case .alreadyInTransaction(let doing):
      Message(doing, "a write transaction is open already", "End it first")
    case .alreadyThere(let path, let doing, let remedy):
      Message(doing, "there is something at \(path) already", remedy)
    case .unsound(let path, let doing, let findings):
      Message(
        doing,
        "the copy for \(path) is not sound and was not kept: "
          + findings.joined(separator: "; "),
        "Run atoll verify on the original")
    }
  }
}
