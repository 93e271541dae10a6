package import AtollEventLoop
package import AtollStorage
package import AtollTransport

/// Why a node could not start.
package enum NodeError: Error, Hashable, Sendable {
  /// Another node, named with its process, serves this store.
  case alreadyServed(store: String, holder: String)
  /// The lock file that says who serves a store could not be used.
  case lockFile(path: String, detail: String)
  /// Two stores of one node have the same path.
  case storeTwice(String)
  /// The file of the node's key, or of an authority, and what is wrong with it.
  case identityFile(path: String, detail: String)
  case storage(StorageError)
  case transport(TransportError)
  case system(EventLoopError)
}

extension NodeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .alreadyServed(let store, let holder):
      "serving \(store): \(holder) serves it already; stop that process, or give this node "
        + "another store"
    case .lockFile(let path, let detail):
      "serving a store: the lock file \(path) could not be used: \(detail); the folder must be "
        + "writable by this user"
    case .storeTwice(let path): "serving \(path): it is listed twice; list each store once"
    case .identityFile(let path, let detail): "using the key file \(path): \(detail)"
    case .storage(let error): "\(error)"
    case .transport(let error): "\(error)"
    case .system(let error): "\(error)"
    }
  }
}
