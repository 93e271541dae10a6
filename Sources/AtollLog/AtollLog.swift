// The log of a store file: every changeset stored here, in the exact bytes of its author.
//
// The module decides what is stored, of whom, and what of that is applied. A changeset is bytes, a number, and
// a hash that chains it to the one before of its author; of its operations the log reads nothing. It knows no
// tables of objects and opens no file: ``ChangesetLog`` works on a connection that AtollStorage has open, inside
// the transaction that AtollStorage began.
//
// An author is an ``AuthorRecord``: a small local number, which stamps in rows carry, and a chain. The chain's
// applied part ends with `sequence`; behind it may come a *deferred* part, stored and forwarded, and not applied
// yet (`ChangesetLog+Deferred.swift`). What the numbers inside a changeset mean in this file's tables is not the
// log's: that is `NumberTable` in AtollStorage.
//
// An author whose disk was rolled back has *branches*, which are all kept, in a tree of records that comes out
// the same on every replica (`ChangesetLog+Branches.swift`). A run of changesets on its way in goes on from
// whatever stored changeset gives its hash, its *anchor* (``IncomingRun``).
//
// A new incarnation can *reissue* changesets, which *supersedes* the old ones: they stay in the log and count for
// nothing (`ChangesetLog+Control.swift`). The changesets that an author had applied when it wrote follow from the
// dependencies that its changesets name (`ChangesetLog+Seen.swift`): concurrency is decided by them, never by
// clocks.
//
// A log need not begin with the first changesets. Truncation cuts off what every member has applied, behind the
// *truncation point*; a file that began with a snapshot has a *checkpoint*, of whose changesets only the last
// hashes are known (``CheckpointRecords``, which is all that the log asks of the store), and a *gap* between
// checkpoint and log until the *backfill* has come (`ChangesetLog+Start.swift`).
//
// It refuses to pass on an entry that is not what its author wrote (``LogDamage``), and to defer more than its
// bounds. Nothing that a file contains traps.
//
// The life of one changeset of a peer: `findAnchor` says which record it follows; AtollStorage decodes it, asks
// whether its dependencies are stored and applied, and merges it; `append` stores it, and `advance` makes it its
// author's head, or `defer` marks it until `nextDeferred` finds that it comes next. `entries` reads it for the
// next peer, checked against its chain, until `removeTruncated` takes it away.
