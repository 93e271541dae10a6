package import AtollVocabulary

/// What a peer was last known to have.
package struct PeerProgress: Hashable, Sendable {
  package var author: Author
  /// Durable at the peer.
  package var held: VersionVector
  /// Visible at the peer.
  package var applied: VersionVector
  /// When it said so, by the local clock.
  package var time: WallTime

  package init(author: Author, held: VersionVector, applied: VersionVector, time: WallTime) {
    self.author = author
    self.held = held
    self.applied = applied
    self.time = time
  }
}
