// A store, as people are shown it: values that any program can encode.
//
//     StoreFile (read-only) ─┐
//                            ├─▶ Inspection ──▶ StatusReport, SchemaDocument, ObjectPage, LogRow,
//     files beside it ───────┘                  ExplanationReport, ConflictRow, MemberRow, …
//         (AtollPresence)                          │
//                                                  └─▶ `atoll` as lines of text, or as JSON
//
// It decides what belongs to an answer, under which key, in which order, and in which form a person
// reads a value, an author or a changeset. The keys are an interface: programs read the JSON of
// `atoll … --json`, so a key is added and never changed. It decides nothing about the data, and it
// changes nothing: it opens a file for reading, and its few errors are about what was asked
// (`InspectionError`: no such class, no such key). Lines, colours, columns and exit codes are the
// program's, which has everything that it prints from these values.
//
// It refuses to hold a whole store: objects and log entries come one by one, or a page at a time.
//
// The life of one answer: a program opens an `Inspection` of a path and asks it, for instance, for
// `conflicts(of:key:)`; the inspection looks at one snapshot, has the storage read the ledger, puts the
// names of replicas beside their ids, and gives back a `ConflictRow` for each entry; the program prints or
// encodes it. Several answers that must fit together are asked for within `atOneMoment`.
