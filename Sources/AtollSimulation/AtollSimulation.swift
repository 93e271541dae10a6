// A cluster of replicas in one process, with invented time, network, clocks, disks and accidents.
//
// The engine, its performer and the storage are the product's own; invented is everything they meet. One seed
// draws all of it: how many nodes, who is linked to whom, which version of the model each runs, how
// long frames take and how many are lost, repeated or overtaken, when links are cut, the network
// parts, clocks jump or flicker, nodes die, files are restored from old copies or run twice, and what
// the applications write. The same seed gives the same run to the last byte, which the trace hash
// shows.
//
// A run has three phases. In the first, applications write while everything goes wrong. Then the
// accidents end, and the nodes have to come to equal version vectors within a bound (liveness).
// At the end, and on the way, checkers look at the files from outside:
//
//   - equal vectors, equal digests, byte-equal exports
//   - every transaction that returned is in its file, and at the end in every file
//   - what a node acknowledged is still in its file, crash or power cut or not
//   - each observer heard of each commit once, and money that is moved is never made: no
//     transaction is seen in part
//   - each log is dense, chained, in causal order, and holds the same bytes everywhere
//   - each file finds nothing wrong with itself
//   - becoming equal takes bounded time and bounded bytes: the frames with changesets that leave
//     after the last accident, headers and all, are at most three times what was missing, and 256
//     bytes a link. Missing is, for each node, every changeset that another node has at that moment
//     and it has not, or that another writes afterwards, in the changesets' own bytes. What is
//     compressed counts as if it were not. All other frames, which only tell what others have, are
//     at most 1 KiB for each link, node and second
//
// On request (`rollsDisksBack`), files also become older copies of themselves and cannot tell, so that
// their authors write two histories (`World+RollingBack.swift`): then no file may lose what was in its
// log, under whatever name; the bytes have no bound where a fork is found, since all links begin anew.
//
// Unless told otherwise (`takesSnapshots`), a node comes late in half of the clusters, and those that have next
// to nothing begin with a snapshot. In half of them nodes cut their logs now and then, and a node whose
// file is restored from before that has to take a snapshot too. At every look each file has its own
// changesets in its log, except those that were cut off, and at the end everything that it has stored:
// seeds 40153 and 40285 once waited for ever, when installing a snapshot took entries out of the log.
//
// Each of them is shown a fault made on purpose (`Sabotage`). Nodes die at any moment, or at a
// ``FaultPoint`` of commit, apply, send and acknowledge; with their process, or with the power of
// the machine. Then the node's disk, a `FaultDisk` under SQLite, takes back what was not flushed.
//
// The life of a write in here: `Workload`, or the user's own program on a `Store`, makes a
// transaction on a node's file; the world wakes the node's engine a little later; its actions go to
// `World`, which has the product's own `ActionPerformer` read and write the node's file, unless the node
// dies of it (`World+Storing`), and sends frames through `Network` as bytes,
// encoded and decoded by the product's own codec. Half of the clusters have streams, which bring
// bytes in any pieces, one by one now and then, and may break within a frame; in the others frames
// come by themselves, and are lost, repeated and overtaken; a `Schedule` brings each answer at its time.
// Nothing waits: a minute of a cluster takes as long as its work does.
