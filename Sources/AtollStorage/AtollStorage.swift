// The store file: objects as rows that a person can read, the log of changesets they came from, and the rule
// by which every change enters.
//
// Layout. The module decides where cells are stored, and therefore the cost of a change. A class is a table of
// real columns. A to-one embedded object is columns of its parent's row (`"coordinate.latitude"`). A list, set
// or map is a table of its elements (`"Doc.tags"`). An any-typed value is stored as it is, with its type in the
// column beside it (`ValueTag.swift`); lists and maps in any-typed slots have one table per slot, all levels
// together (`"Doc.any"`). A row needs one stamp and two masks (``RowState``); cells that were written later have
// their stamps in a blob, which is NULL for most rows. A set's member or a map's entry is a row of its own, with
// one stamp for all of it, and is kept when it is removed (`ObjectTables+NamedElements.swift`). Only live objects
// have rows; tombstones and placeholders are stored beside them (`ObjectTables+Existence.swift`).
//
// Two levels. ``ObjectTables`` stores objects: the catalog, rows, merging, digests, search indexes, and the
// conflict ledger (`Tables`, parts of `Ledger` and `Searching`). ``StoreFile``, above it, is the file: opening,
// transactions, the log, deferral, snapshots and members, and the forms of local writes, peers' changesets and
// queries. The tables never call the file, and see data operations only; control operations are carried out in
// the log (`StoreFile+ControlOperations.swift`). A test checks both.
//
// One way in. A local write becomes an `Operation` with this author's numbers, is merged by ``ObjectTables``, and
// is encoded. A peer's changeset is decoded to operations and merged by the same function. AtollChanges decides
// which value wins; this module decides where it is stored. Rows, log entry, effect record and head commit in one
// SQLite transaction, under one lock across processes, and the ``Commit`` leaves by `onCommit`.
//
// Recursive classes. An embedded class may contain itself: as one value, through lists and maps, over other
// classes. Its columns and tables cannot be made for every depth at once. So a slot inside one of its own kind has
// no columns below it until a value goes that deep (``FieldNode/isInside(_:)``, `Catalog.expand`). A thread of
// comments five deep has six tables, `"Post.comments"`, `"Post.comments.value.replies"` and so on, the last of
// them empty. The tables end at `Limits.nestingDepth` steps, as the paths of cells do. Snapshots name nodes by
// properties and make the tables that they need; a query that goes deeper than any value finds no rows
// (`QueryCompiler.openedUp`). Empty levels count in no digest, so replicas that made more tables are equal.
//
// Refusals. The module refuses, with a ``StorageError`` that has the remedy: files that are not stores or are
// newer than this build, foreign SQL (triggers), duplicate keys, values of a wrong type, and writes that would
// leave a full disk half written. Nothing in a file or from a peer traps.
//
// The life of a local write:
//
// 1. `beginWrite` takes the lock, begins, and reads again what other processes changed since
//    (`StoreFile+Transaction.swift`).
// 2. `create`, `assign` and the list functions each turn rows and properties into an operation
//    (`StoreFile+LocalPaths.swift`), merge it and encode it.
// 3. `commitWrite` finishes the changeset, names its dependencies, chains its hash, appends it to the log, stores
//    the effect record and commits.
//
// The life of a peer's batch: it comes in by `apply`, is checked (chain, predecessor, dependencies, declarations,
// clock), is merged in group commits, and ends in the same kind of `Commit`. A changeset stamped too far ahead of
// the local clock is deferred until the clock has caught up (`StoreFile+Deferring.swift`) or an operator has
// released it. The parts of a large transaction are deferred until the last of them has come
// (`StoreFile+Continuing.swift`). A replica whose clock was wrong reissues its own changesets
// (`StoreFile+Repairing.swift`). If a run shows that an author has several branches, because its disk was rolled
// back, each branch gets a name, and all objects are made anew from the log (`ObjectTables+Branches.swift`,
// `StoreFile+Forking.swift`). The log itself belongs to AtollLog: this module opens the transaction, and merges.
//
// Search indexes. Full-text and spatial indexes (`Searching`) are virtual tables that follow the rows. The changes
// that a transaction reports to observers also update the indexes, before it commits and before a query inside it
// uses them. A query asks them for row ids, in its one statement.
//
// Old versions. An open snapshot keeps the write-ahead log from being moved into the database. So all processes
// know which versions are in use (``VersionPins``). Snapshots that nobody reads from are moved forward from outside
// when the log has become long (``VersionLease``); cursors are read to their end first.
//
// Reading is one statement per query (``QueryCompiler``), rows by cursor; queries that differ only in their
// constants share a ``QueryPlan``. ``Catalog`` knows the tables. It only grows, under the lock, and is read again
// when another process has made it grow. Objects in canonical form, for text and comparison, are read by pages with
// everything that they hold and link to, one statement per table and page (``CanonicalPage``).
//
// Digests. The file keeps a digest, the sum of one hash for each object, cell and element (``DigestHasher``,
// `DigestTerms.swift`, `protocol/digest.md`). Every change of a row subtracts the old hash and adds the new one
// (`redigest`): from the values at hand where there was no row before, and from the former value that the UPDATE of
// a single cell reports (``ReplacedValue``). The sums of the transaction's classes are written once, with it.
// `checkDigests` computes them again from the rows; ``DigestSearch`` finds the objects by which two replicas differ.
//
// The conflict ledger (`Ledger`). When a peer's write meets one of another author in one cell, and the changeset's
// dependencies say that neither had seen the other, the losing value goes into `atoll_conflict` in the same
// transaction. The ledger is local and bounded, and is no part of the digest or of changesets. Each merge rule that
// can lose a write calls it, on both sides: for a write that comes too late, and for one that ends. Writes that left
// no stamp in a row are looked for in the log (``UnseenOperations``). `explain` reads the log for one cell instead.
//
// Members. Objects of a reserved class say which replicas exist, and their names
// (`Membership/StoreFile+Members.swift`).
//
// Copies. A file that is copied, by whatever means, starts a new incarnation: it keeps its place on the disk
// (``FileIdentity``), which is compared at opening. ``StoreCopy`` makes whole and consistent copies, for backups,
// clones and restores.
//
// Snapshots (`Snapshot`, `protocol/snapshot.md`). A file can begin with a snapshot of another one instead of its log:
// all rows of one moment as records, cut into pages, each page kept as it comes. The maker reads it from a second
// connection with that moment pinned, a few pages in each short transaction, so a snapshot is of one moment however
// long it is on its way. (Pages of several moments would count a counter's steps twice.) It is installed by making
// all objects anew: the snapshot's rows first, checked against its digests, then the changesets of the log beyond
// it. Its pages stay, as the *checkpoint* of the log. A replay of the log begins with the checkpoint; facts that
// only the log could tell (the hash of an old changeset, another history of its author) are not known below it.
//
// Truncation alone removes entries from the log, below the changesets that every member has applied; installing a
// snapshot removes none. The changesets that the snapshot has and the log has not are its *gaps*, which peers fill
// afterwards (`StoreFile+Backfill.swift`, with the reason why nobody waits for ever). A file whose log then starts
// with the first changesets needs no checkpoint any more. Truncation (`StoreFile+Truncating.swift`) makes the
// objects of a time that every member has reached again, as a checkpoint, and raises the *truncation point* to it,
// where the log starts from then on. Tombstones of objects with a declared key stay in the checkpoint; those of
// list elements are collected.
//
// ``CanonicalObject`` is an object without anything local, for export, digest and verification.
