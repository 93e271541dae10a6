import AtollVocabulary

/// What a node may keep in memory of the changesets that pass between one store and its peers.
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

  /// How many links there may be: each needs the least window, either way.
  var links: Int { min(max(1, totalBytes / (2 * Limits.leastWindowBytes)), Limits.peers) }

  /// What may be on its way to one of so many peers, and as much from it.
  ///
  /// A power of two, so that one link more or less rarely changes it; never less than one frame's
  /// worth, with which a link still moves.
  func window(links: Int) -> Int {
    let half = min(peerBytes, totalBytes / max(1, links)) / 2
    let window = min(max(half, Limits.leastWindowBytes), Limits.unacknowledgedBytes)
    return 1 << (Int.bitWidth - 1 - window.leadingZeroBitCount)
  }
}
