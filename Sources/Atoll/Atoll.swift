// The client library: model classes in, live objects out.
//
// The module decides how a Swift property becomes a column (`Values/`, `Model/`), what a store
// shows and when (`Store/`), what a query means before it is SQL (`Query/`), and who is told of a
// commit, where and how (`Observation/`); where each thing belongs, and how it goes
// elsewhere (`Threads/`); how classes are reached by name (`Dynamic/`), how a file
// comes from one version of a model to the next (`Migration/`), what others have (`Sync/`), and what views of objects are
// (`Projection/`). What it refuses: SQL, bytes, peers. Below it,
// `AtollStorage` knows nothing of the application's types; above it, nobody sees a row.
//
// The foundations that everything else widens:
//
// - One descriptor a property. `TypedProperty` is made once per class, from the wrapper's offset
//   and type; every operation that needs the type goes through it. Nothing reflects per object.
// - One place where a mapped value becomes a persisted one: the extension of `_PersistableValue`
//   for `_Mapping` in `CustomPersistable.swift`. Properties, optionals, list elements, keys and
//   query operands all pass there.
// - One table of what a place takes as `Any`, in `Coercion.swift`: creation, updates, elements and
//   arguments all ask it.
// - One base for the handles of lists, sets and maps, `CollectionBase`. A handle without a store holds
//   persisted values; `attach(to:)` makes it that of a `ManagedCollection`, which knows its row and
//   path, reads at first touch, and does each change as an operation of its own. What an element
//   embeds stands on a `ManagedElement`, a list or map in an any-typed slot on a path into the slot.
// - One predicate tree, `AtollQuery.Predicate`. `Query` builds it directly.
// - One funnel for misuse, `Trap.stop`.
// - One more view of the same tables for access by name: `DynamicClasses` makes a `Table` with
//   `DynamicProperty` descriptors for every class of the file, so that a `DynamicObject` is an
//   ordinary accessor that converts nothing, also of classes that no model declares.
// - One kind of observer. A `ChangeTracker` holds what was shown and compares it with the effects
//   of later commits (`CommitEffects`); `Observation` puts one to work where it is called,
//   `ObservedChanges` in a loop. Observers of one place share a store and take turns
//   (`ObserverQueue`), so that a commit costs one look at the file however many they are. What an
//   object links to is followed backwards, from what changed to whom it matters (`ChangedObjects`);
//   which rows a query has is followed by asking for the rows that were written (`FollowedQuery`,
//   `SelectedRows`), and their places by ordering them together with some of the others
//   (`RowPlacing`), among all or in their sections (`SectionedRows`).
//   Swift's own observation (`ReadTracking`) is told at the same moment, when a store moves on.
// - One way to say where something belongs: `Confinement`, which holds a `TurnPlace` unless it is a
//   bare thread. What goes elsewhere goes as a value: the description of an object, a collection or
//   a query (`ThreadSafeReference`), or the values themselves (`ObjectSnapshot`).
// - One way to keep a version: a frozen store, which goes on with the connection of the live one
//   (`FrozenFile`), belongs everywhere, and whose rows are complete when they are made, so that reading
//   them takes no lock. What is looked up later is looked up by one thread at a time (`Store.alone`).
//
// A migration is one write transaction: the new columns, what the block writes, and the version. The
// old objects in it are those of a second store on the same file, which keeps the snapshot from
// before; so a migration that fails leaves nothing, and what it writes is in the log like any change.
//
// The life of one assignment, `airport.elevation = Measurement(value: 432, unit: .meters)` inside
// `store.write { }`: the static subscript of `@Persisted` sees that `airport` is managed and hands
// the value to `Measurement._write` with a `_Cell` (object, slot); the mapping encodes it as 432.0;
// `ManagedRow.assign` checks thread, transaction and generation, finds the column in the object's
// `RowLayout`, and calls `StoreFile.assign`, which records the operation and updates the row; the
// row's copy of the value changes with it. At the end of the block `Store.commitWrite` commits, the
// `Commit` leaves by `StoreFile.onCommit`, and observers compare it with what they showed.
//
// The life of one read, `airport.elevation`: the wrapper holds nothing, so the cell asks the
// `ManagedRow`, whose copy of the row is good as long as the store's version and the table's change
// count say so; the column decodes to 432.0, the mapping makes a `Measurement` of it. In a loop over
// results there is no copy: the row reads the column where the loop is, or has it from before, when
// the values that a loop asks for are read a few rows ahead (`RowReader`); it takes the rest only if the
// object is kept when the loop goes on (`RowStream`). When the loop follows links, rows are read a page
// at a time, and with a second statement what all links of the page lead to (`RowPage`).
//
// The life of one `create(Club.self, value: ["name": "X", "site": ["street": "Main"]], update:
// .modified)`: the dictionary becomes a `Draft`, an unmanaged object that remembers what it was
// given and how that would be stored, and so does every dictionary in the place of an object.
// `Store.insert` looks for the primary key; where there is none it gathers the fields and calls
// `StoreFile.create`, and where there is one `RowUpdate` writes what was given and differs. Objects
// that lead to each other wait for each other in `Addition`.
