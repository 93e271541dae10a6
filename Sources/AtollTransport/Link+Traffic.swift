import AtollEventLoop

extension Link {
  /// Bytes that came over the link, as they were on the wire.
  package var receivedBytes: UInt64 { stream.receivedBytes }
  /// Bytes handed to the link's stream, as they are on the wire.
  package var sentBytes: UInt64 { stream.sentBytes }
}
