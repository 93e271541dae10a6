/// Every bound of the product that a peer, a file or an application can run into.
///
/// `protocol/limits.md` repeats those that both sides of a link must share; a test compares.
package enum Limits {
  // MARK: Changesets

  /// A changeset's canonical bytes.
  package static let changesetBytes = 512 << 20
  /// Canonical bytes after which a transaction goes on in another changeset, so that no more of it than
  /// one is in memory.
  package static let partBytes = 16 << 20
  /// The canonical bytes of one transaction, in all its changesets.
  package static let transactionBytes = 8 << 30
  /// Operations in one changeset.
  package static let changesetOperations = 8 << 20
  /// Declarations in one changeset, and authors that one author declares in all.
  package static let declarations = 1 << 16
  /// Classes that one author declares in all: SQLite looks through all tables of a file for every one that
  /// is made.
  package static let declaredClasses = 1024
  /// Properties that one author declares in all, of all classes together.
  package static let declaredProperties = 1 << 14
  /// Properties of one class, and columns of its table by one author's declarations.
  package static let classColumns = 1000
  /// UTF-8 bytes of a class or property name.
  package static let nameBytes = 255
  /// A string or data value.
  package static let valueBytes = 256 << 20
  /// A primary key's string or data; a map's key.
  package static let keyBytes = 64 << 10
  /// Embedded objects inside one another, and steps of a path into them; lists and maps in any-typed
  /// slots likewise.
  package static let nestingDepth = 16
  /// A list element's position key.
  package static let positionKeyBytes = 64 << 10

  /// Histories that one author may have because its disk was rolled back; what would be another is
  /// refused.
  package static let branches = 16
  /// The same where that replica itself brings them, so that nobody else can use up its histories.
  package static let ownBranches = 32
  /// Changesets of an author that a snapshot names, though it has them as cells: how far back a disk may be put
  /// behind what was cut off the log, and still be told from the rest.
  package static let recentChangesets = 64

  /// The greatest number of a changeset.
  package static let sequenceNumber: UInt64 = (1 << 53) - 1

  // MARK: Frames

  /// A frame's payload on the wire; room for ``vectorEntries`` heads.
  package static let frameBytes = 2 << 20
  /// The greatest size of a compressed payload after decompression.
  package static let decompressedBytes = 4 << 20
  /// Canonical changeset bytes gathered into one frame before it is closed.
  package static let batchBytes = 256 << 10
  /// The first chunk of a changeset that is sent in chunks, which the others wait to be asked for.
  package static let offerBytes = 4 << 10
  /// Authors in one version vector.
  package static let vectorEntries = 1 << 14
  /// Heads in one frame of acknowledgements.
  package static let acknowledgedHeads = 256
  /// Heads of others that a node keeps in mind, of all replicas together; what exceeds them is not told
  /// further.
  package static let knownHeads = 4096
  /// Of these, heads of authors of whom nothing is here, that one replica is said to have.
  package static let strangeHeads = 256
  /// Frames of acknowledgements on their way to one peer.
  package static let unconfirmedAcknowledgements = 64
  /// UTF-8 bytes of a reason or an agent name.
  package static let reasonBytes = 1024
  /// UTF-8 of what a replica is called; more is cut when it is shown.
  package static let replicaNameBytes = 128

  // MARK: Searching for differences

  /// Digits of a prefix in a question about digests.
  package static let digestLevels = 12
  /// Prefixes in one question.
  package static let digestPrefixes = 256
  /// Objects in one answer.
  package static let digestObjects = 512
  /// Questions that one search asks at most.
  package static let digestQuestions = 1024
  /// The time an answer is waited for: the peer looks at all objects for each.
  package static let digestTimeout = Duration.seconds(300)

  // MARK: Snapshots

  /// A page of a snapshot, all but its last.
  package static let snapshotPageBytes = 256 << 10
  /// A record of a snapshot: a row, which SQLite holds to less.
  package static let snapshotRecordBytes = 1 << 30
  /// Pages of one snapshot.
  package static let snapshotPages = 1 << 24
  /// Pages asked for and not yet staged.
  package static let snapshotWindow = 8
  /// Changesets from which on a new replica is given a snapshot, unless somebody says otherwise.
  package static let snapshotChangesets: UInt64 = 5000
  /// The age at which truncation removes changesets from the log, by default.
  package static let truncationAge = Duration.seconds(30 * 86_400)
  /// The interval at which a daemon checks whether its log can be cut, and the bytes from which on
  /// it is.
  package static let truncationInterval = Duration.seconds(6 * 3600)
  package static let leastTruncationBytes = 4 << 20
  /// Until a peer that had none of the log below a snapshot is asked for it again.
  package static let backfillPause = Duration.seconds(60)
  /// The time after which backfill counts as lost, if no peer has any of it and one needs its objects.
  package static let backfillTimeout = Duration.seconds(150)

  // MARK: Links

  /// Bytes handed to a link and not yet written to its socket: all that may be unacknowledged, and
  /// room for what is not counted there.
  package static let linkQueueBytes = 8 << 20
  /// Bytes of changesets sent to a peer and not yet acknowledged as applied.
  package static let unacknowledgedBytes = 4 << 20
  /// The least window of a peer, unless it is 0: one frame's worth.
  package static let leastWindowBytes = 256 << 10
  /// Bytes of expedited changesets that may be on their way, beside the window.
  package static let expeditedBytes = 64 << 10
  /// The greatest number of an author's changesets that a peer lacks if they are to be expedited.
  package static let expeditedChangesets: UInt64 = 32
  /// Changesets of a run, which one seal vouches for: they are applied in one transaction.
  package static let runChangesets = 64
  /// The greatest time of a clock in a frame: 48 bits, as in a stamp.
  package static let wallClockMilliseconds = (1 << 48) - 1
  /// Of a peer's clock, the readings of which the one that was under way for the shortest time counts.
  package static let clockReadings = 4
  /// Over how many seconds it is counted how fast changesets come and go.
  package static let throughputSeconds = 10
  /// The memory for changesets of all peers of a node, by default.
  package static let exchangeBytes = 512 << 20
  /// The same for one peer: a whole window in either direction.
  package static let peerExchangeBytes = 8 << 20
  /// Between two tries to write to a full disk.
  package static let diskFullRetryInterval = Duration.seconds(1)
  /// Bytes of changesets that arrived on a link and wait to be applied, the largest not counted; a
  /// peer that keeps to ``unacknowledgedBytes`` never gets there.
  package static let inboxBytes = 16 << 20
  /// From the first byte of a link to the end of its handshake.
  package static let handshakeTimeout = Duration.seconds(10)
  /// Bytes that a peer may send before it has proved who it is.
  package static let handshakeBytes = 64 << 10
  /// Streams that have not proved whose they are; when one more comes, the oldest is ended.
  package static let halfOpenLinks = 256
  /// The payload of the one frame that a link for pairing brings: a proof.
  package static let pairingBytes = 32
  /// Links for pairing that have not shown a proof; when one more comes, the oldest is ended.
  package static let pairingLinks = 64
  /// Links of one key to one store.
  package static let keyLinks = 8
  /// Replicas that one key may name itself in one store.
  package static let keyReplicas = 16
  /// Nodes that came and are in no roster, as the status tells of them; the oldest goes first.
  package static let pendingPeers = 32
  /// Nodes in one store's roster.
  package static let rosterEntries = 1024
  /// Addresses of one node in a roster.
  package static let peerAddresses = 8
  /// The time for which an author that may not write is left out before its changesets are
  /// requested again.
  package static let declinedPause = Duration.seconds(600)
  /// Authors and reasons that one link is told of because somebody further on takes nothing of them.
  package static let declinesPassedOn = 256
  /// The time that a pairing code can be used.
  package static let pairingTimeout = Duration.seconds(300)
  /// Attempts to pair from one address that are looked at in ``pairingAttemptInterval``.
  package static let pairingAttempts = 10
  package static let pairingAttemptInterval = Duration.seconds(60)
  /// Addresses of whose attempts to pair is known.
  package static let pairingAddresses = 1_024
  /// Wrong guesses of one pairing code, over all addresses, with which it ends.
  package static let pairingGuesses = 1 << 16
  /// Silence after which a keep-alive is sent.
  package static let keepAliveInterval = Duration.seconds(5)
  /// Silence after which a link is given up.
  package static let linkTimeout = Duration.seconds(20)
  /// The time to wait for an eager peer before a lazy one, which has announced the same, is asked for it.
  package static let lazyTimeout = Duration.seconds(1)
  /// The time in which announcements to lazy peers are gathered.
  package static let announcementDelay = Duration.milliseconds(200)
  /// The time after which peers are told that deferred changesets were applied.
  package static let progressInterval = Duration.seconds(1)
  /// Between two records of how far others are, and between two frames that tell one peer of it.
  package static let acknowledgementInterval = Duration.milliseconds(250)
  /// The first pause before connecting again; doubled each time, with jitter.
  package static let reconnectFirstDelay = Duration.milliseconds(100)
  /// The longest pause before connecting again.
  package static let reconnectLastDelay = Duration.seconds(10)
  /// Bytes gathered for one write to a socket.
  package static let gatherBytes = 64 << 10
  /// From dialing an address to a stream that is open.
  package static let connectTimeout = Duration.seconds(5)
  /// The time an ended link waits for the peer to end its side.
  package static let closeTimeout = Duration.milliseconds(500)
  /// Peers one store is linked to at a time.
  package static let peers = 1024

  // MARK: Processes at one store

  /// Signs of commits in the file that follow each other faster than this are of a busy writer.
  package static let commitNoticeSpacing = Duration.milliseconds(40)
  /// Announced commits that follow each other faster than this are a burst.
  package static let commitBurstSpacing = Duration.microseconds(400)
  /// The time for which the commits of a burst are gathered before the file is looked at: it
  /// doubles each time, up to a maximum.
  package static let commitBurstDelay = Duration.milliseconds(1)
  package static let longestCommitBurstDelay = Duration.milliseconds(8)
  /// The interval at which the file is looked at without an announcement.
  package static let commitSweepInterval = Duration.seconds(2)
  /// The first pause before connecting to a store's local socket again; doubled each time.
  package static let localReconnectFirstDelay = Duration.milliseconds(50)
  /// The longest pause before connecting to a store's local socket again.
  package static let localReconnectLastDelay = Duration.seconds(2)
  /// Processes connected to a store's local socket.
  package static let localClients = 256
  /// The time a stopping node waits for a store to finish what it is writing.
  package static let stopTimeout = Duration.seconds(1)
  /// The interval at which the loop's watchdog asks it for an answer.
  package static let loopQuestionInterval = Duration.milliseconds(250)
  /// The time the event loop may take to answer before that is reported.
  package static let loopTimeout = Duration.seconds(1)
  /// The least interval between two measurements of the log, each of which reads all of it.
  package static let logMeasureInterval = Duration.seconds(60)
  /// The interval at which a daemon compares all rows with their digests; after a commit of a foreign program it does
  /// so at the next heartbeat.
  package static let rowCheckInterval = Duration.seconds(3600)
  /// The greatest interval between two writes of the status beside a store, so that a node that
  /// hangs is seen.
  package static let statusHeartbeat = Duration.seconds(10)
  /// The least interval between two writes of the status beside a store; links that come and go are
  /// not kept waiting.
  package static let statusInterval = Duration.milliseconds(250)
  /// Examining the file for conditions of the health takes this part of the time at most.
  package static let healthShare = 20
  /// The time that no peer may be connected, of those that should be, before that is a condition.
  package static let unreachableTimeout = Duration.seconds(10)
  /// The time that peers may offer snapshots that lack what is cut off here, before that is a condition.
  package static let leftBehindTimeout = Duration.seconds(30)
  /// The time that a refused changeset, or snapshot, is a condition.
  package static let refusalShown = Duration.seconds(60)
  /// Times of which is known what had been applied here, for the lag of members.
  package static let lagMarks = 512
  /// The precision with which the age of a changeset that a member lacks is known.
  package static let lagResolution = Duration.milliseconds(100)
  /// Up to so many peers it is written at once which of them are connected.
  package static let promptStatusPeers = 16

  // MARK: Telling metrics

  /// Bytes of a request for metrics or health, to the end of its head.
  package static let requestBytes = 8 << 10
  /// Requests that are answered at a time.
  package static let requests = 16
  /// From a connection to the end of its answer.
  package static let requestTimeout = Duration.seconds(5)
  /// Metrics with different names or labels; what is counted beyond them is not told.
  package static let metricSeries = 1 << 15

  // MARK: Files

  /// The greatest length of the write-ahead log while a snapshot is pinned.
  package static let pinnedWALBytes = 64 << 20
  /// Snapshots of all processes that are counted and named.
  package static let pinsCounted = 4096
  /// The time for which a write waits for the lock before it fails with the holder's name.
  package static let writeLockTimeout = Duration.seconds(30)
  /// The time for which a remote batch may hold the write lock before it yields to a local writer.
  package static let remoteBatchHold = Duration.milliseconds(20)
  /// Effect records kept; a reader further behind queries again.
  package static let effectRecords = 4096
  /// Objects named in one effect record; a larger commit says "everything of this class".
  package static let effectObjects = 4096
  /// Entries of the conflict ledger; the oldest go first.
  package static let conflicts = 4096
  /// Bytes of one value in the conflict ledger; of a larger one it only says that there was one.
  package static let conflictValueBytes = 16 << 10
  /// Elements of one collection that are looked at when all of it ends at once.
  package static let conflictElements = 256
  /// Bytes of changesets that are searched for steps that one assignment ended.
  package static let conflictSearchBytes = 256 << 10
  /// Writes to one cell that an explanation lists; the last ones.
  package static let explainedWrites = 1024
  /// The length of the write-ahead log at which it is moved into the database.
  package static let checkpointWALBytes = 16 << 20
  /// The time that closing a file waits for a writer, before it leaves the log to the next process that closes it.
  package static let closingLockTimeout = Duration.seconds(1)
  /// Looks at a write-ahead log that seems to belong to another file, where a checkpoint may be under way.
  package static let foreignLogLooks = 3
  /// The bytes of objects in canonical form that are read together; one object is read whole.
  package static let canonicalPageBytes = 16 << 20
  /// Columns of one table by the declarations of all authors, and as many levels of a class inside itself
  /// as there are values of; SQLite has 2000.
  package static let tableColumns = 1900

  /// Rows whose full-text and spatial indexes may lag behind inside a transaction.
  package static let unindexedRows = 1 << 16

  // MARK: The studio

  /// The body of one request to the studio.
  package static let studioBodyBytes = 8 << 20
  /// Connections to the studio.
  package static let studioConnections = 512
  /// The time in which a connection has to send a request, and the one between two requests.
  package static let studioRequestTimeout = Duration.seconds(60)
  /// The time in which a connection has to take some of an answer.
  package static let studioTakeTimeout = Duration.seconds(60)

  // MARK: Importing

  /// One record of a file that is imported.
  package static let importRecordBytes = 64 << 20
  /// Objects without a primary key in one import: their hidden keys are kept in memory.
  package static let importKeyless = 1 << 20
  /// A file in the form of flatted, which is read whole: any value may name any other.
  package static let importFlattedBytes = 1 << 30
  /// Levels of a JSON file of Realm's, whose linked objects stand inside one another.
  package static let importLevels = 256
  /// Values of one object that is read from such a file, with the objects in it.
  package static let importValues = 1 << 22
  /// Objects of such files that are remembered by their keys, about 100 bytes each.
  package static let importObjects = 1 << 22
  /// Lines of the report of what an import did not take, and examples of each.
  package static let importReportLines = 1000
  package static let importExamples = 3

  // MARK: Predicates

  /// Levels of nesting in a predicate, such that a thread with a stack of 512 KiB can read it in a debug
  /// build: a NOT, an AND, an OR or a parenthesis is one, a list or a number in parentheses is four, a
  /// collection eight.
  package static let predicateDepth = 64
  /// Collections inside one another in a query, by subqueries, counts, and ANY of ANY: the parser of SQLite
  /// has room for ten.
  package static let collectionDepth = 8
  /// Conditions side by side under one AND or OR.
  package static let queryConditions = 10_000
  /// Properties and constants that one number is computed from; SQLite takes 127 arguments.
  package static let computedTerms = 100
  /// Queries that choose from one another, by DISTINCT or LIMIT.
  package static let queryLevels = 8
  /// Values in one list that a query compares with.
  package static let queryValues = 30_000
  /// Words of one full-text search; those after them are not looked at.
  package static let searchWords = 64

  // MARK: Clocks

  /// The time by which a changeset may be stamped ahead of the local clock.
  package static let clockDrift = Duration.seconds(60)
  /// The milliseconds that a stamp stays below: the year 3084.
  ///
  /// With the counter's sixteen bits it is
  /// a signed number of 64 bits that is not negative, as SQL compares them.
  package static let stampMilliseconds: UInt64 = 1 << 45
  /// The bound below which a release applies changesets, the year 2527.
  ///
  /// Those who apply it go on from there, and have 500 years of stamps left.
  package static let releasedMilliseconds: UInt64 = 1 << 44
  /// Deferred changesets; more are left with the peers until there is room.
  package static let deferredChangesets = 1 << 16
  /// Changesets of one author among them.
  package static let deferredByAuthor = 1 << 13
  /// Authors of whom nothing was here that one replica brings in an hour.
  package static let authorsBrought = 2048
  /// The time that they are counted.
  package static let authorsInterval = Duration.seconds(3600)
  /// Their canonical bytes; a single one may have more.
  package static let deferredBytes = 256 << 20
  /// The longest time between two looks at deferred changesets: a clock may be set.
  package static let deferredSweepInterval = Duration.seconds(10)
}
