// The studio: a store that a person looks at in a browser, live, with or without a daemon.
//
// The module is one more process on the file, like any application. What it shows comes from AtollInspect,
// what a person edits goes through AtollEdit and becomes a changeset like any other. It decides who may ask
// (`Gate`), what there is to ask for (`Routes`), and on which thread a store answers (`StoreDesk`). HTTP is
// SwiftNIO's, which only `Listener`, `Connection` and `ConnectionLimits` name. The site is plain files, embedded
// in the binary (`SiteFile`).
//
// It refuses whoever does not have the token, a `Host` or `Origin` that is not its own, a POST that is not
// JSON, bodies larger than `Limits.studioBodyBytes`, and every change if it is read-only. Nothing that it
// answers names a line of its code, and no page asks any other machine for anything.
//
// The life of a request: `Listener` reads it and makes a `StudioRequest` → `Gate` lets it pass, or answers →
// `Routes` finds the answer by its path → the store's `StoreDesk`, one thread each for pages and for long
// work, runs it on one snapshot → a `StudioResponse` of JSON, a file, or a stream of lines.
//
// The life of a commit's news: `StoreWatch` says that somebody may have committed → `EventFeed` reads what
// the commits since the last one changed → each page that listens gets one event, and asks for what it shows.
