// A cluster of replicas in one process, with invented time, network, clocks and accidents.
//
// The engine and the storage are the product's own; invented is everything they meet. One seed
// draws all of it: how many nodes, who is linked to whom, how long frames take and how many are
// lost, repeated or overtaken, when links are cut, the network parts, clocks jump and nodes die,
// and what the applications write. The same seed gives the same run to the last byte, which the
// trace hash shows.
//
// A run has three phases. In the first, applications write while everything goes wrong. Then the
// accidents end, and the nodes have to come to equal version vectors within a bound (liveness).
// At the end, and whenever two nodes have equal vectors on the way, checkers look at the files:
//
//   - equal vectors, equal digests, byte-equal exports
//   - every transaction that returned is in its file, and at the end in every file
//   - what a node acknowledged is still in its file, crash or not
//   - each log is dense, chained, in causal order, and holds the same bytes everywhere
//   - each file finds nothing wrong with itself
//
// The life of a write in here: `Workload` makes a transaction on a node's `StoreFile`; the world
// wakes the node's engine a little later; its actions go to `World`, which reads and writes the
// node's file, and sends frames through `Network` as bytes, encoded and decoded by the product's
// own codec; a `Schedule` brings each answer at its time. Nothing waits: a minute of a cluster
// takes as long as its work does.
