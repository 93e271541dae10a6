// Edits by people: as text, files and single edits.
//
//     a file ──▶ RecordReader ──▶ JSONValue ────────────┐
//                     │                                 ├─▶ Importer ──────▶ StoreFile
//                     └────────▶ CSVField ─▶ CSVTable ──┘       ▲          (AtollStorage)
//                                                │              │              ▲
//                                                ▼              │              │
//                                 lines of CSV, for export      │              │
//                                                               │              │
//     {"edits":[…]} ──▶ StoreEdit ──▶ StoreEditor ──▶ EditWriter ──────────────┘
//                                         ▲               │
//                                         └─ InverseEdit ─┘
//
// It decides which text is a value of which type, which object a key means, how much goes into one
// transaction, and what takes an edit back. It decides nothing about merging: each change, each undo
// included, is an ordinary local write of the storage, and leaves as an ordinary changeset. It prints
// nothing: what came of it is an `ImportResult`, an `EditOutcome` or an error, how far an import is goes to
// a closure, and the program puts all into words.
//
// It refuses what would be a guess: a name that an object has twice, a number that its type cannot hold,
// a quote inside a cell. Numbers stay texts until their type is known, so that the last digit of an Int64
// and the zeros of a Decimal128 are kept. A single edit does not make the target of a link, as an import
// does, and an undo does not overwrite what somebody has changed since, unless it is told to.
//
// The life of one record: `ImportRun` has the `RecordReader` read a line, `JSONValue` parses it, the
// `Importer` finds the class and the object by its key, reads each value as the type of its property, and
// assigns it, or makes the object; after 1,000 objects the run commits.
//
// The life of one edit: the `StoreEditor` begins a transaction; the `EditWriter` finds the object and walks
// the path, reads what is there as canonical JSON, writes, and reads what it has written; both are kept in
// an `InverseEdit`. If the last edit of the batch has gone well, the transaction is committed, and else
// rolled back. For an undo the steps of the last transaction are performed from its end, each after a look
// at what the cell holds now: if that is not what the edit had written, nothing is.
