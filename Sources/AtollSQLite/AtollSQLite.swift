// SQLite, spoken in Swift: the only module that says `sqlite3_`.
//
// The module decides how a connection is set up (write-ahead log, no checkpoint that the caller did
// not order, triggers off), how a value is bound and read so that it comes back exactly (NaN, −0.0,
// strings with NUL), what an error says, and who may write: ``WriteLock``, one lock across
// processes, because two connections that write and checkpoint at once can lose commits in SQLite
// before 3.51.3. It also knows who holds what: the versions that processes show (``VersionPins``) are
// locks on the same file, and SQLite's own locks are looked up (``LockHolders``) for messages.
//
// For tests it can stand between SQLite and the file (``FaultDisk``): a full disk, one that does not
// answer, flipped bits, and a power cut that takes back what was not flushed.
//
// It refuses to know what the tables mean; there is no SQL of the store here.
//
// The life of one value: a caller takes a ``Statement`` it prepared once, binds a `PersistedValue`
// by index, steps, and resets; later another statement reads the column as the type its table was
// declared with. Nothing is allocated on that way but the value's own bytes, and for short ones
// being bound not even those (``BoundBytes``); a page that was read stays where it is mapped while
// others commit (``KeptMapping``), and the write-ahead log has room before a commit needs it
// (``LogRoom``). What SQLite answers other than "row" or "done" is thrown as ``SQLiteError`` with its
// code, its words and the SQL.
