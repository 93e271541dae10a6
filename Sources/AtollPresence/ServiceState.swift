internal import AtollVocabulary
private import Foundation

/// The state of the node that serves a store, as far as the files beside it tell.
package enum ServiceState: Hashable, Sendable {
  case nobody
  case serving(StoreStatus)
  /// A node served it and ended without saying so: it was killed, or the machine lost its power.
  case ended(StoreStatus)
  /// A node holds the store and has said nothing for longer than it may: it is stopped, blocked, or
  /// waits for its disk.
  case silent(StoreStatus, for: Duration)
  /// Somebody holds the store, and what it said cannot be read; with what is wrong.
  case unreadable(String)

  /// Looks at the store at `path`; `now` is in milliseconds since 1970.
  package init(ofStoreAt path: String, at now: Int64) {
    let paths = StorePaths(path)
    let isServed = StoreStatus.isServed(paths)
    guard let data = FileManager.default.contents(atPath: paths.status) else {
      let isThere = FileManager.default.fileExists(atPath: paths.status)
      self =
        isThere
        ? .unreadable("\(paths.status) may not be read by this user")
        : isServed ? .unreadable("\(paths.status) is missing") : .nobody
      return
    }
    do {
      let status = try JSONDecoder().decode(StoreStatus.self, from: data)
      let age = Duration.milliseconds(now - status.time)
      self =
        !isServed
        ? .ended(status)
        : age > Self.timeout ? .silent(status, for: age) : .serving(status)
    } catch {
      self = isServed ? .unreadable("\(paths.status) is not what a node writes") : .nobody
    }
  }

  /// The age of a status after which its node counts as silent: a node writes one at least every
  /// `Limits.statusHeartbeat`, and a busy machine may be late.
  private static let timeout = Limits.statusHeartbeat * 3

  /// The last words of the node, in good health or not.
  package var status: StoreStatus? {
    switch self {
    case .nobody, .unreadable: nil
    case .serving(let status), .ended(let status), .silent(let status, _): status
    }
  }
}
