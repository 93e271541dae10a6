package import AtollEventLoop
package import AtollVocabulary

/// A connected stream that a link can be made of, and who is at its other end.
package struct Channel {
  /// The peer of a secured stream, as its handshake proved.
  package struct Peer: Hashable, Sendable {
    package let identity: NodeIdentity
    /// The name that the peer gives itself: letters, digits and the like, and no proof of anything.
    package let claimedName: String
    package let purpose: LinkPurpose
  }

  package let stream: ByteStream
  /// Nil on a stream that is not secured.
  package let peer: Peer?
  let session: TLSSession?

  /// A stream whose bytes anybody on the way can read and write.
  package init(plain stream: ByteStream) {
    self.stream = stream
    peer = nil
    session = nil
  }

  init(_ stream: ByteStream, _ session: TLSSession, _ peer: Peer) {
    self.stream = stream
    self.session = session
    self.peer = peer
  }

  /// The other end, for people.
  package var peerName: String { stream.peerAddress?.description ?? stream.name }

  /// Bytes that only the two ends of this connection know; nil on a stream that is not secured.
  package func exportedKey(label: String) -> [UInt8]? { session?.exportedKey(label: label) }
}
