package import AtollVocabulary
package import AtollWire

/// Everything an engine asks of the one who runs it; performed in the order given.
///
/// Each may be answered later by the event named in its comment, never from inside
/// ``Engine/handle(_:at:)``.
package enum Action: Hashable, Sendable {
  /// Open a stream to a peer. Answer: ``Event/linkOpened(_:_:)`` or
  /// ``Event/connectFailed(_:reason:)``.
  case connect(PeerID)
  /// Put a frame on a stream. No answer; a stream that cannot take it is closed by its owner.
  case send(LinkID, Frame)
  /// End a stream once what was sent is written. Answer: ``Event/linkClosed(_:reason:)``.
  case close(LinkID, CloseReason)
  /// Read or write the store; ``ActionPerformer`` does it, and makes the answer.
  case store(StoreAction)
  /// Bring ``Event/timer`` at this instant; replaces the instant set before.
  case setTimer(Instant)
  /// Tell people. No answer.
  case report(StatusEvent)
}
