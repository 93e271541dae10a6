import AtollSQLite
import AtollVocabulary

extension StorageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notADatabase(let path):
      "opening \(path): the file is not a database; expected a store file. "
        + "Check the path, or restore the file from a backup; it was not changed"
    case .notAStore(let path, let id):
      "opening \(path): the database belongs to another program (application id \(id)); expected "
        + "a store file of Atoll. Choose another path; the file was not changed"
    case .newerFormat(let path, let found, let supported):
      "opening \(path): the file has format \(found), this build reads up to \(supported). "
        + "Update the program; the file was not changed"
    case .foreignObject(let path, let what, let name, let remedy):
      "opening \(path): the file has \(what) \(name.debugDescription), which Atoll did not make; "
        + "expected nothing but its own tables and indexes. Copy the file, and remove it there with the "
        + "sqlite3 program: \(remedy.debugDescription); the file was not changed"
    case .noSuchFile(let path):
      "opening \(path): there is no such file. Check the path, or make the store with atoll init"
    case .wrongPath(let path, let detail):
      "opening \(path.isEmpty ? "a store without a path" : path): \(detail)"
    case .notWritable(let path, let doing, let detail):
      "\(doing): no permission for \(path): \(detail). Check the permissions of the file and its "
        + "folder, or open it for reading"
    case .openedForReading(let path, let doing):
      "\(doing): \(path) was opened for reading. Open it for writing"
    case .olderBuild(let path, let lacking):
      "opening \(path): an earlier build made it, and it lacks \(lacking). Open it once for writing, "
        + "which adds that"
    case .notYet(let path, let doing, let detail, let remedy):
      "\(doing): \(path) is not ready for it: \(detail). \(remedy)"
    case .diskFull(let path, let doing):
      "\(doing): the disk that holds \(path) is full. The transaction was rolled back; "
        + "make room and try again"
    case .otherStore(let path, let found, let expected):
      "opening \(path): the file belongs to store \(found), expected store \(expected). "
        + "Open the right file, or join the store with atoll join"
    case .alreadyExchanged(let path, let store):
      "joining another store: \(path) has exchanged changes in store \(store) already. "
        + "Only a store that has met nobody can join; start with a new file"
    case .foreignLog(let path, let detail):
      "opening \(path): the write-ahead log \(path)-wal does not belong to the file: \(detail). The file "
        + "was put here while the log of another one was left. Put the file back that the log belongs to, or "
        + "move \(path)-wal and \(path)-shm away, which gives up what is in them; `atoll restore` replaces a "
        + "store in one step. Nothing was changed"
    case .replaced(let path, let detail):
      "writing to \(path): \(detail), while it was open here. Stop all that have it open, and put it back "
        + "with `atoll restore` from a backup. Nothing was written"
    case .locked(let path, let holder, let waited):
      "writing to \(path): \(holder ?? "another program") held the write lock for all of "
        + "\(waited). Wait for its transaction to end, or end the process"
    case .tooManyVersions(let path, let count, let limit, let holders):
      "writing to \(path): \(count) versions of it are in use, at most \(limit) may be. Held by "
        + holders.joined(separator: ", ")
        + ". Refresh, invalidate or close the stores that show old versions, or allow more"
    case .versionEnded(let path):
      "reading a frozen version of \(path): it was ended, because it kept the write-ahead log from being "
        + "shortened for too long"
    case .nothingHeld(let author):
      "releasing what is held of \(author): nothing of it is held here. `atoll status` names those "
        + "of whom something is"
    case .doubtfulClock(let path, let now, let others):
      "repairing \(path): \(others) changesets of other replicas are stamped too far ahead as well, so "
        + "this clock, which says \(now.milliseconds) ms since 1970, may be the one that is behind. Set it "
        + "first; if it is right and theirs were wrong, repair with --force: they are held again"
    case .clockOutOfRange(let path, let now, let last):
      "\(path): writing a changeset: the local clock shows \(now.milliseconds) milliseconds since "
        + "1970 and the last stamp has \(last.milliseconds), a changeset may have less than "
        + "\(Limits.stampMilliseconds); set the clock"
    case .damaged(let path, let detail):
      "reading \(path): the file is damaged: \(detail). Run atoll verify, or restore a backup"
    case .schemaClash(let name, let detail):
      "adopting the class \(name): \(detail)"
    case .duplicateKey(let name, let key):
      "creating an object of \(name): there is one with the key \(key) already. "
        + "Change that one, or create with an update policy"
    case .noSuchClass(let id): "reading class \(id.rawValue): the file has no such class"
    case .noSuchObject(let name, let id):
      "changing object \(id.rawValue) of \(name): it was deleted or never existed"
    case .noSuchProperty(let name, let property):
      "reaching \(property) of \(name): the class has no such property here"
    case .noFullTextIndex(let name, let property):
      "searching \(property) of \(name) by words: it has no full-text index. Declare it "
        + "@Persisted(indexed: .fullText) and open the store for writing once"
    case .noModule(let module, let doing):
      "\(doing): the SQLite library of this program was built without \(module), which the file's "
        + "full-text or spatial indexes need. Use one that has it, or open the store read-only"
    case .noSuchElement(let list, let index, let count):
      "reaching element \(index) of \(list): the list has \(count) elements"
    case .typeMismatch(let property, let expected, let found):
      "giving \(property) a value: found \(found), expected \(expected)"
    case .incrementOfNil(let property):
      "incrementing \(property): its value is nil. Assign a number first"
    case .noSuchInstance(let property):
      "reaching into \(property): there is no object in it now"
    case .tooLarge(let what, let size, let limit):
      "writing \(what): \(size) is more than the limit of \(limit)"
    case .tooComplex(let detail):
      "compiling a query: SQLite cannot take it: \(detail). Put fewer conditions, collections or links "
        + "inside one another, or filter the results of a simpler query"
    case .noSuchConflict(_, let detail):
      "restoring a lost value: \(detail). Write the value to where it is wanted now"
    case .noSuchTarget(let name, let key):
      "linking to \(name) \(key): there is no such object now. Create it first"
    case .notInTransaction(let doing):
      "\(doing): there is no write transaction. Begin one first"
    case .alreadyInTransaction(let doing):
      "\(doing): a write transaction is open already. End it first"
    case .alreadyThere(let path, let doing, let remedy):
      "\(doing): there is something at \(path) already; \(remedy)"
    case .inUse(let path, let doing):
      "\(doing): an application or a daemon has \(path) open. Stop it first; nothing was changed"
    case .unsound(let path, let doing, let findings):
      "\(doing): the copy for \(path) is not sound and was not kept: "
        + findings.joined(separator: "; ") + ". Run atoll verify on the original"
    case .systemCall(let failure, let doing):
      "\(doing): the system refused \(failure). "
        + (failure.isOutOfDescriptors
          ? "Close files, or let the process have more of them open (`ulimit -n`)"
          : "Mend what it names, and try again")
    case .diskFailed(let error, let path, let doing):
      "\(doing): the disk failed that holds \(path): \(error)"
        + (error.systemFailure(path: path).map { ", \($0.words) (error \($0.number))" } ?? "")
        + ". Look for its faults in the system's log (`dmesg`), then run atoll verify"
    case .outOfMemory(let doing):
      "\(doing): there is not enough memory. End other programs, or let this one have more"
    case .sqlite(let error, let doing):
      "\(doing): \(error). Run atoll verify; if it finds nothing, report this message as a mistake of Atoll"
    case .unexpected(let detail, let doing):
      "\(doing): \(detail). This is a mistake of Atoll: report it with this message"
    }
  }
}
