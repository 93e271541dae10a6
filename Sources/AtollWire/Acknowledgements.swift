package import AtollChanges

/// The news about others' holdings since the sender's last frame on this link.
package struct Acknowledgements: Hashable, Sendable {
  /// Counts those that tell something, on one link in one direction from 1; 0 tells nothing.
  package var number: UInt64
  /// The number after which this one has all that was told: `follows < number`, or both are 0.
  package var follows: UInt64
  /// The last number up to which all have come the other way.
  package var received: UInt64
  /// Ascending by replica; each with those heads that are new.
  package var replicas: [PeerProgress]

  package init(number: UInt64, follows: UInt64, received: UInt64, replicas: [PeerProgress] = []) {
    self.number = number
    self.follows = follows
    self.received = received
    self.replicas = replicas
  }
}
