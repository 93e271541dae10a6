// The replication engine: events in, actions out. It decides what is sent to whom, and when.
//
// The engine of one store knows the peers that it is to stay connected to, every open link, what this
// file has, and what each peer has. It does nothing itself. Its host (the node, with sockets, files and
// a clock, or the simulation with none of them) performs the `Action`s and brings the `Event`s. There is
// no clock here, no chance but a seeded generator in the engine's state, and no `Dictionary` or `Set`
// whose order could reach an action. The same events at the same instants give the same actions, in every
// process.
//
// `ActionPerformer` does what an action asks of the store (`StoreAction`), for every host alike. It calls
// a `ReplicaStore`, which is a store file or a log in memory, and makes the event that answers. The engine
// never meets either.
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
// The life of a changeset:
//
// 1. The file commits it, and `logAdvanced` comes in.
// 2. For each peer that lacks it over an eager link (`Engine+Seeking.swift`), `readLog` goes out. The answer
//    `logRead` becomes a `changesets` frame, as far as the window allows that the peer grants for
//    unacknowledged bytes (`Engine+Crediting.swift`).
// 3. At the peer, the frame goes into the link's inbox, unless its changesets are there already. `apply`
//    goes out, one batch at a time.
// 4. The answer `applied` is followed by a `progress` frame to every peer that waits for it, which frees
//    the sender's window. It is also followed by the same `readLog` towards other peers. A relay forwards
//    in the order of its own log, so a changeset always comes after what it depends on.
//
// Beside this path:
//
// - A new small changeset passes a long catch-up with the changesets of others (`Engine+Expediting.swift`).
// - While the disk is full, peers are asked to wait, the received changesets are offered to the disk again
//   and again, and everything else goes on (`Engine+DiskFull.swift`).
// - Peers pass on what others have acknowledged (`Engine+Acknowledging.swift`). In a line A–B–C, A learns
//   what C has.
// - Peers that have applied the same changesets compare digests of the result, with a keep-alive and when
//   a link has caught up (`Engine+Digests.swift`). If these differ, both report it and go on.
// - Deferred changesets, which may not be applied yet, are acknowledged as stored and forwarded like all
//   others. The file looks at them again when the clock has caught up (`Engine+Deferring.swift`).
// - An author whose disk was rolled back has two histories. The engine fetches both, and then opens all
//   links anew with a name for each (`Engine+Branches.swift`).
// - A peer that needs changesets which the log no longer has, or that has nothing where the log is long,
//   is offered a snapshot (`Engine+Offering.swift`) and takes it page by page
//   (`Engine+Bootstrapping.swift`). Then it requests the backfill, which is the log that the snapshot was
//   made of (`Engine+Backfill.swift`), one frame at a time behind everything else. So any two replicas can
//   bring each other forward.
//
// The engine refuses another store, another protocol, and itself; a changeset that the file refuses; and
// more bytes than were agreed on. It gives the reason in a goodbye, and waits long before it tries again.
//
// It survives frames that are lost, repeated or reordered. It requests what is missing (`request`), and
// everything that a keep-alive names and nobody sends.
