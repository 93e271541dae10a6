/// The window that a side grants its peer.
package struct Credit: Hashable, Sendable {
  /// Canonical bytes of changesets sent and not acknowledged, at most; 0 while nothing is taken.
  package var window: Int
  /// Why nothing is taken, a sentence for people; empty if something is.
  package var reason: String

  package init(window: Int, reason: String = "") {
    self.window = window
    self.reason = reason
  }
}
