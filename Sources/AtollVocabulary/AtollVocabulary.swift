// The words every module uses, and nothing they do.
//
// A type lives here when at least two modules hand it to each other: the values a property can
// persist, the names of replicas and their writes, hybrid time, version vectors, schema values,
// and every bound in `Limits`. Types here have order, equality, and text, `Decimal128` arithmetic as
// well; behaviour beyond that belongs to the module that decides it. Foundation is absent, so that the pure modules above
// (changes, wire, replication) give the same answers on every machine.
//
// The life of one write, told in these words: an application assigns a `PersistedValue`; the
// assignment gets a `Stamp`, made of a `HybridTime`, the `Author` that owns the file, and
// its index in the changeset; the changeset gets the author's next `SequenceNumber`; replicas
// say in a `VersionVector` which of them they have.
