private import Foundation

/// The files that nodes and watches keep or look at beside a store.
///
/// SQLite puts its own files beside the file that a symbolic link leads to, and so does this module:
/// processes that name one store in different ways must meet at one socket.
package struct StorePaths: Hashable, Sendable {
  package let store: String

  /// The files of the store at `path`, links resolved.
  package init(_ path: String) {
    store = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  /// SQLite's write-ahead log.
  package var log: String { store + "-wal" }
  /// Locked by the node that serves the store.
  package var daemonLock: String { store + "-daemon" }
  /// The socket at which processes tell each other of commits.
  package var socket: String { store + "-socket" }
  /// The words of the node that serves the store, for people.
  package var status: String { store + "-status" }
}
