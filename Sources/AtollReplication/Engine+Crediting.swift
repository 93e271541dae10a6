import AtollVocabulary
import AtollWire

// Crediting: how much may be on its way. Each side tells the other how much it may send before it
// hears that something was applied, and never sends more itself than its own memory is meant for.
// All links of a store share that memory; what a peer does not read or apply costs its window.

extension Engine {
  /// The window of one peer towards this side, and of this side towards the peer if that grants it.
  package var window: Int {
    memory.window(links: sessions.count { $0.isExchanging })
  }

  /// Changesets in memory that came from peers and wait to be applied, or were read for peers and wait
  /// to be sent.
  package var waitingBytes: Int {
    sessions.reduce(applying?.byteCount ?? 0) {
      $0 + $1.incoming.waitingBytes + $1.outgoing.waitingBytes
    }
  }

  /// Takes other bounds from now on.
  mutating func change(to memory: ExchangeMemory) {
    self.memory = memory
    grant()
  }

  /// Tells every peer what it may send from now on, unless it knows.
  mutating func grant() {
    let window = window
    if window != reportedWindow {
      reportedWindow = window
      perform(.report(.window(byteCount: window, links: sessions.count { $0.isExchanging })))
    }
    let credit =
      diskFull == nil
      ? Credit(window: window) : Credit(window: 0, reason: "its disk is full")
    for index in sessions.indices where sessions[index].isExchanging {
      if sessions[index].granted != credit {
        sessions[index].granted = credit
        sessions[index].hasGranted = true
        send(index, .credit(credit))
      }
      guard sessions[index].outgoing.share != window else { continue }
      sessions[index].outgoing.share = window
      pump(index)
    }
  }

  /// Tells it again with a keep-alive, in case it was lost.
  mutating func grantAgain(_ index: Int) {
    if sessions[index].hasGranted { send(index, .credit(sessions[index].granted)) }
  }

  /// The peer says what may be on its way to it.
  mutating func receive(_ index: Int, _ credit: Credit) {
    let before = sessions[index].outgoing.credit
    sessions[index].outgoing.credit = credit.window
    if let peer = sessions[index].peer, (before == 0) != (credit.window == 0) {
      let link = sessions[index].link
      perform(
        .report(
          credit.window == 0
            ? .peerDiskFull(link, peer: peer, reason: credit.reason)
            : .peerDiskHasSpace(link, peer: peer))
      )
    }
    pump(index)
  }
}
