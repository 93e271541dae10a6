// The file: objects as rows a person can read, the log of changesets they came from, and the rule
// by which every change enters.
//
// The module decides how cells lie in tables, and therefore what a change costs. A class is a table of
// real columns, a to-one embedded object is columns of its parent's row (`"coordinate.latitude"`), a
// list, set or map is a table of what it holds (`"Doc.tags"`). An any-typed value stands as itself in
// its column, with its type in the one beside it (`ValueTag.swift`); what the lists and maps in such
// slots hold lies in one table a slot, all levels together (`"Doc.any"`). A row needs one stamp and two
// masks (``RowState``); cells written apart since are listed in a blob that is NULL for most rows. A
// set's member and a map's entry is a row of its own, kept when it is removed, with one stamp for all
// of it (`ObjectTables+NamedElements.swift`). Only live objects have rows: what is dead, or only known
// from links, is remembered beside them (`ObjectTables+Existence.swift`).
//
// It has two floors. ``ObjectTables`` is what objects lie in: the catalog, rows, merging, digests, search
// indexes, and the ledger of what was lost (`Tables`, parts of `Ledger` and `Searching`). ``StoreFile``, above
// it, is the file: opening, transactions, the log, deferral, snapshots and members, and the forms in which
// local writes, peers' changesets and queries come. The tables never call the file, and see operations on
// data only; what is said of replicas is carried out in the log (`StoreFile+ControlOperations.swift`). A test
// holds both.
//
// It decides that there is one way in. A local write becomes an `Operation` with this author's
// numbers, is merged by ``ObjectTables``, and is encoded; a peer's changeset is
// decoded to operations and merged by the same function. What wins is decided in AtollChanges; here
// is only where the winner is stored. Rows, log entry, effect record and head commit in one SQLite
// transaction under one lock across processes, and the ``Commit`` leaves by `onCommit`.
//
// An embedded class may contain itself: as one value, through lists and maps, over other classes. Its columns
// and tables cannot be made for every depth at once. So a slot inside one of its own kind has no columns
// below it until a value goes that deep (``FieldNode/isInside(_:)``, `Catalog.expand`): a thread of comments
// five deep has six tables, `"Post.comments"`, `"Post.comments.value.replies"` and so on, the last of them
// empty. Where the path of a cell ends, at `Limits.nestingDepth` steps, the tables end. Snapshots name nodes by
// properties and open what they need; a query that goes deeper than any value finds no rows
// (`QueryCompiler.openedUp`). What is not open counts in no digest, so replicas that opened more are equal.
//
// It refuses, with a ``StorageError`` that says what to do: files that are not stores or are newer
// than this build, foreign SQL (triggers), duplicate keys, values of a wrong type, writes that would
// leave a full disk half written. Nothing a file or a peer contains traps.
//
// The life of one write: `beginWrite` takes the lock, begins, and reads again what other processes
// changed since (`StoreFile+Transaction.swift`); `create`, `assign` and the list functions each turn
// rows and properties into an operation (`StoreFile+LocalPaths.swift`), merge and encode it;
// `commitWrite` finishes the changeset, names what it depends on, chains its hash, appends it to the
// log, stores the effect record and commits. A batch of peers' changesets comes in by `apply`, is
// checked (chain, predecessor, dependencies, declarations, clock), merged in group commits, and ends
// in the same value at the same door. A changeset stamped too far ahead of the local clock is stored and not
// applied, until time has caught up (`StoreFile+Deferring.swift`) or an operator has released it; so are the
// parts of a large transaction, which is several changesets, until the last of them has come
// (`StoreFile+Continuing.swift`). A replica whose clock was wrong reissues its own (`StoreFile+Repairing.swift`).
// Where a run shows that an author has several branches, since its disk was rolled back, each gets a name, and
// all objects are made anew from the log (`ObjectTables+Branches.swift`, `StoreFile+Forking.swift`). The log itself
// is AtollLog's: this module opens the transaction, and merges.
//
// Full-text and spatial indexes (`Searching`) are virtual tables that follow the rows: what a
// transaction reports as changed, to observers, is what they are brought up to, before it commits and
// before a query inside it asks them. A query asks them for row ids, in its one statement.
//
// A snapshot that is open keeps the write-ahead log from being moved into the database. So what each
// process shows is known to all (``VersionPins``), and snapshots that nobody reads from are moved forward
// from outside when the log has become long (``VersionLease``); cursors are read to their end first.
//
// Reading is one statement a query (``QueryCompiler``), rows by cursor; queries that differ in their
// constants only share a ``QueryPlan``. ``Catalog`` knows the tables;
// it only ever grows, under the lock, and is read again when another process has made it grow.
// Objects in canonical form, for text and comparison, are read by pages with all that they hold and
// link to, a statement a table and a page (``CanonicalPage``).
// What the file holds has a digest, a sum of one hash for each object, cell and element
// (``DigestHasher``, `DigestTerms.swift`, `protocol/digest.md`). Whatever changes a row takes the old
// hash off and puts the new one on (`redigest`), from the values at hand where there was no row
// before, and from what the UPDATE of a single cell says that it replaced (``ReplacedValue``); the
// sums of the transaction's classes are written once, with it. `checkDigests` makes them again from
// the rows, ``DigestSearch`` finds the objects by which two replicas differ.
//
// What a merge loses is kept beside (`Ledger`): when a peer's write meets one of another author in one
// cell, and the changeset's dependencies say that neither had seen the other, the loser's value goes
// into `atoll_conflict` in the same transaction. It is local, bounded, and takes part in nothing:
// not in the digest, not in what peers are sent. Each rule by which something is lost has a hook where
// it is decided, on both sides: for what comes too late, and for what is there and ends; what left no
// stamp in a row is looked for in the log (``UnseenOperations``). `explain` reads the log for one cell
// instead. Who exists, and what replicas are called, is told by objects of a reserved class
// (`Membership/StoreFile+Members.swift`).
//
// A file that is copied, by whatever means, starts a new incarnation: the place where it was last written
// is kept in it (``FileIdentity``) and compared at opening. ``StoreCopy`` makes copies that are whole and
// of one moment, for backups, clones and restores.
//
// A file can begin with a snapshot of another's instead of the log (`Snapshot`, `protocol/snapshot.md`):
// all rows of one moment as records, cut into pages, each page kept as it comes. It is read from a
// second connection that has that moment pinned, a few pages in each short transaction, so that a
// snapshot is of one moment however long it is on its way; pages of several moments would count a
// counter's steps twice. It is installed by making all objects anew: rows of the snapshot first, checked
// against its digests, then what the log has beyond it. Its pages stay, as the *checkpoint* of the log:
// whatever replays the log replays the checkpoint first, and what the log alone could tell (the hash of a
// changeset long past, another history of its author) is not known below it.
//
// An entry leaves the log by truncation alone, below what everybody has applied; installing a snapshot takes none
// away. Of what the snapshot has and the log has not, the *gaps*, the changesets come from peers afterwards
// (`StoreFile+Backfill.swift`, with the reason why nobody waits for ever); a file whose log then starts with
// the first changesets does without a checkpoint again. Truncation (`StoreFile+Truncating.swift`) makes the
// objects of a time that everybody has come to again, as a checkpoint, and raises the *truncation point* to
// it, behind which the log does not go back.
// Tombstones of objects with a declared key stay in the checkpoint; those of list elements are collected.
//
// ``CanonicalObject`` is an object without anything local, for export, digest and verification.
