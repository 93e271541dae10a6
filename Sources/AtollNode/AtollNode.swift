// The node: performs the engine's actions, with sockets, a writer thread and a clock. It runs in the daemon, or
// embedded in an application. AtollPresence has what other processes see of it beside the store.
//
//     peers ──── Reception, Dial ──▶ Link ─┐                ┌─▶ StoreService ── StoreFile
//                                          ├─▶ Hub: Engine ─┤      (a thread of its own)
//     processes ── LocalSocket ────────────┤    (the loop)  └─▶ StatusBoard ── <store>-status
//     the file ─── CommitFileWatch ────────┘
//
// An engine's action on a file goes to the service's thread as it is, a `StoreAction`, and is done there by the
// `ActionPerformer` of AtollReplication. `StoreWorker+Actions` adds the node's part: write permission, meters,
// read-ahead, and notifying others.
//
// Observability: `HubMeters` and `FileMeters` count and measure (`Metric` lists them), `NodeHealth` says whether the
// node does its work, `LoopWatchdog` asks the loop for an answer from a thread of its own, and `StatusBoard` updates
// the `StoreStatus` beside each store. Stores and peers can change while the node runs (`Node+Changing`).
//
// The node decides nothing that a peer or a file would notice. It refuses a store that another node serves
// (`<store>-daemon` is locked for as long as the node runs, and names the process), a peer whose key is not in the
// store's roster (`Reception`, `Hub+Roster`), and more links and clients than `Limits` allow.
//
// The life of an application's commit:
//
// 1. The application's `StoreWatch` sends `committed` on `<store>-socket`. Without a socket, each side sees the
//    write-ahead log grow instead, a little later (`CommitFileWatch`).
// 2. The hub has the service look at the file. The service finds new heads and reports `logAdvanced`.
// 3. The engine asks for the changesets that each peer lacks. The service reads them from the log, and the engine
//    makes frames of them, which leave at the end of the loop's turn.
// 4. At the peer, the frames become one `apply`. The service writes them in one transaction and reports `applied`
//    and `committed`. The first becomes the acknowledgement; the second wakes the applications there, which look at
//    their file.
//
// The loop itself never opens, reads or writes a file.
