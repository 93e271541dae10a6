// What people change in a store, as text and files tell it.
//
//     a file ──▶ RecordReader ──▶ JSONValue ────────────┐
//                     │                                 ├─▶ Importer ──▶ StoreFile
//                     └────────▶ CSVField ─▶ CSVTable ──┘      (AtollStorage)
//                                                └─▶ lines of CSV, for `atoll export`
//
// It decides which text is a value of which type, which object a key means, and how much goes into one
// transaction. It decides nothing about merging: each change is an ordinary local write of the storage,
// and leaves as an ordinary changeset. It prints nothing: what came of an import is an `ImportResult` or
// an `ImportFailure`, how far it is goes to a closure, and the program puts both into words.
//
// It refuses what would be a guess: a name that an object has twice, a number that its type cannot hold,
// a quote inside a cell. Numbers stay texts until their type is known, so that the last digit of an Int64
// and the zeros of a Decimal128 are kept.
//
// The life of one record: `ImportRun` has the `RecordReader` read a line, `JSONValue` parses it, the
// `Importer` finds the class and the object by its key, reads each value as the type of its property, and
// assigns it, or makes the object; after 1,000 objects the run commits.
