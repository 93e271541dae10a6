import AtollVocabulary

/// The memory of a node for the changesets that pass between one store and its peers.
package struct ExchangeMemory: Hashable, Sendable {
  /// For all peers of the store together.
  package var totalBytes: Int
  /// For one peer.
  package var peerBytes: Int

  package init(
    totalBytes: Int = Limits.exchangeBytes, peerBytes: Int = Limits.peerExchangeBytes
  ) {
    self.totalBytes = totalBytes
    self.peerBytes = peerBytes
  }

  /// The greatest number of links: each needs the least window in both directions.
  var links: Int { min(max(1, totalBytes / (2 * Limits.leastWindowBytes)), Limits.peers) }

  /// The window of each direction with so many peers.
  ///
  /// A power of two, so that one link more or less rarely changes it; never less than one frame's
  /// worth, with which a link still moves.
  func window(links: Int) -> Int {
    let half = min(peerBytes, totalBytes / max(1, links)) / 2
    let window = min(max(half, Limits.leastWindowBytes), Limits.unacknowledgedBytes)
    return 1 << (Int.bitWidth - 1 - window.leadingZeroBitCount)
  }
}
