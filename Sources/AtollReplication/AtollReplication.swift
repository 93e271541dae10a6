// Decides who is told what, and when: events in, actions out.
//
// The engine of one store knows the peers it is to stay connected to, every link that is open,
// what this file has and what each peer has. It does nothing itself: whoever runs it (the node
// with sockets, files and a clock; the simulation with none of them) performs the `Action`s and
// brings the `Event`s. There is no clock here, no chance but a seeded generator in the engine's
// state, and no `Dictionary` or `Set` whose order could reach an action: the same events at the
// same instants give the same actions, in every process.
//
// What an action asks of the store (`StoreAction`) is done by `ActionPerformer`, the same one for all that
// run an engine: it calls a `ReplicaStore`, which a store file is as well as a log in memory, and makes
// the event that answers. The engine never meets either.
//
//     Event ──▶ Engine ──▶ Action ─┬─ .store ──▶ ActionPerformer ──▶ ReplicaStore
//       ▲                          │                   │
//       │                          └─ links, timer     │
//       └──────────────────────────────────────────────┘
//
// A session is one link, from its opening to its end. `protocol/session.md` tells it to
// implementers in other languages.
//
//     state        entered when                 leaves when                              file
//     ──────────   ──────────────────────────   ──────────────────────────────────────   ─────────────
//     connecting   configured, or a link ended  linkOpened; connectFailed waits longer   +Connecting
//     handshaking  linkOpened: hello sent       the peer's hello is agreeable            +Handshaking
//     catchingUp   the hello was agreeable      all that is here was sent                +CatchingUp
//     streaming    caught up                    goodbye, silence, or the stream's end    +Streaming
//     inspecting   a question instead of hello  goodbye, silence, or the stream's end    +Digests
//     closing      a goodbye, either way        linkClosed                               +Closing
//
// The life of a changeset passing through: the file commits it and `logAdvanced` comes in; for
// each peer that lacks it and is pushed to (`Engine+Seeking.swift`) `readLog` goes out, and the answer `logRead` becomes a `changesets`
// frame, as far as the window of unacknowledged bytes allows: the peer grants it (`Engine+Crediting.swift`). At the peer the frame puts it into
// the link's inbox, unless it is there already; `apply` goes out, one batch at a time; the answer
// `applied` is followed by a `progress` frame to whoever waits to hear it, which frees the
// sender's window, and by the same `readLog` towards peers further on: a relay forwards in
// the order of its own log, so that what a changeset depends on always goes before it.
//
// What somebody has just written does not wait behind a long catch-up with what others wrote
// (`Engine+Expediting.swift`). While the disk is full, peers are told to wait, what came is offered to it
// again, and all else goes on (`Engine+DiskFull.swift`).
//
// What each replica has is told further by those that heard it (`Engine+Acknowledging.swift`), so that
// in a line A–B–C, A knows what C has.
//
// Peers that have applied the same compare digests of what came of it, with a keep-alive and when
// a link has caught up (`Engine+Digests.swift`). If they differ, both say so and go on.
//
// What the file holds and may not apply yet is acknowledged as held and forwarded like the rest; the
// file is asked to look at it again when time has caught up (`Engine+Holding.swift`).
//
// An author of whom two histories exist, since a disk was put back, is looked into until both are here;
// then all links begin anew with the histories' own names (`Engine+Branches.swift`).
//
// A peer that needs what the log does not have, or has nothing where the log is long, is offered a
// snapshot instead (`Engine+Offering.swift`), and takes it page by page (`Engine+Bootstrapping.swift`). Then
// it requests the backfill, the log that the snapshot was made of (`Engine+Backfill.swift`), one frame at
// a time behind everything else, so that any two replicas can bring each other forward.
//
// What the engine refuses: another store, another protocol, itself; a changeset the file refuses;
// more bytes than were agreed to. It says why in a goodbye and waits long before it tries again.
// What it sends once: a peer that gets something from another is only told of it, and asks for what
// nobody sends. What it survives: frames that are lost, repeated or overtaken. A hole is asked for (`want`); so
// is everything that a keep-alive says the peer has while nothing comes.
