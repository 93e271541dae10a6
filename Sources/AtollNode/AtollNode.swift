// Performs what the engine decides: sockets, the writer thread, the clock. Runs in the daemon, or
// embedded in an application. What other processes see of it beside the store is AtollPresence's.
//
//     peers ──── Reception, Dial ──▶ Link ─┐                ┌─▶ StoreService ── StoreFile
//                                          ├─▶ Hub: Engine ─┤      (a thread of its own)
//     processes ── LocalSocket ────────────┤    (the loop)  └─▶ StatusBoard ── <store>-status
//     the file ─── CommitFileWatch ────────┘
//
// What the engine asks of a file goes to the service's thread as it is, a `StoreAction`, and is done there by
// the `ActionPerformer` of AtollReplication. `StoreWorker+Actions` adds what is a node's: who may write,
// how long it took, what is read ahead, and who else hears of it.
//
// Whoever runs a node can look at it: `HubMeters` and `FileMeters` count and measure at the places where
// things happen (`Metric` lists them), `NodeHealth` says whether work is done, `LoopWatchdog` asks the
// loop for an answer from a thread of its own, and `StatusBoard` keeps up the `StoreStatus` beside each
// store. Stores and peers can change while it runs (`Node+Changing`).
//
// What it decides: nothing that a peer or a file would notice. What it refuses: a store that
// another node serves (`<store>-daemon` is locked for as long as it runs, and names the process),
// a peer whose key is not in the store's roster (`Reception`, `Hub+Roster`), more links and clients
// than `Limits` allow.
//
// The life of a commit that an application makes: its `StoreWatch` says `committed` on
// `<store>-socket`; the hub has the service look at the file; the service finds new heads and
// reports `logAdvanced`; the engine asks for what each peer lacks; the service reads it from the
// log; the engine makes frames of it, which leave at the end of the loop's turn. At the peer, the
// frames become one `apply`, the service writes them in one transaction and reports `applied` and
// `committed`; the first becomes the acknowledgement, the second wakes the applications there,
// which look at their file. The loop itself never opens, reads or writes a file. If a socket is
// not there, each side sees the write-ahead log grow instead (`CommitFileWatch`), a little later.
