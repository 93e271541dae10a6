/// The role of a node in a store, by another one's roster or by its own word; the raw value is what
/// is written.
package enum PeerRole: String, Hashable, Sendable, CaseIterable {
  /// It gets everything; nothing that it wrote or brings is taken.
  case read
  /// It gets everything, and what it wrote or brings is taken.
  case write
  /// It gets everything, and what others wrote is taken from it; nothing that it wrote itself.
  case relay
}
