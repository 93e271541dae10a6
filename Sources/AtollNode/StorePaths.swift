private import Foundation

/// The files that nodes and watches keep or look at beside a store.
///
/// SQLite puts its own files beside the file that a symbolic link leads to, and so does this module:
/// processes that name one store in different ways must meet at one socket.
struct StorePaths: Hashable, Sendable {
  let store: String

  /// The files of the store at `path`, links resolved.
  init(_ path: String) {
    store = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  /// SQLite's write-ahead log.
  var log: String { store + "-wal" }
  /// Locked by the node that serves the store.
  var daemonLock: String { store + "-daemon" }
  /// Where processes tell each other of commits.
  var socket: String { store + "-socket" }
  /// What the node that serves the store tells people.
  var status: String { store + "-status" }
}
