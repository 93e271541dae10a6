// The files beside a store: the process that serves it, its last words, and the news of a commit.
//
//     <store>-daemon   locked by the node that serves the store, for as long as it runs
//     <store>-status   its last words, for people (`StoreStatus`)
//     <store>-socket   where processes tell each other of commits (`LocalSocket`, `StoreWatch`)
//     <store>-wal      the sign of a commit where nobody says so (`CommitFileWatch`)
//
// It decides how a node of another process is (`ServiceState`: serving, ended without a word, silent
// or not to be read), which conditions there are and how bad each is (`HealthCondition`), and how soon
// a commit is noticed: at once over the socket, and by the growing log a few milliseconds later. It
// refuses to open the store: what was committed is for the storage to read, and so this module
// imports none. Its only word to SQLite's module is the lock between processes. A process at the socket
// that says what only peers say, or what is no frame, is disconnected; more than
// `Limits.localClients` are not taken.
//
// The life of a commit's news: an application commits and calls `StoreWatch.announceCommit`, which
// costs it one system call; the node's `LocalSocket` reads the number, passes it on to all other
// processes and calls `onCommitted`, whereupon the node looks at the file; each other process's
// `StoreWatch` calls `onCommit`, and it looks at the file too. While no node runs, each watch sees the
// log grow instead and tries the socket again after pauses that double.
//
// The life of a status: the node writes it when something changes, and every
// `Limits.statusHeartbeat`; a reader asks for `ServiceState`, which compares its age and the lock; the
// node removes it when it ends in order, so that one without a lock tells of a node that was killed.
