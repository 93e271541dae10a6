import AtollReplication
import AtollTransport
import AtollVocabulary
import AtollWire

// The clocks of peers, for people; all decisions go by stamps.
extension Hub {
  /// Says what the clock here shows, once a link is established and as often as it is kept alive.
  func sayTime(_ link: LinkID) {
    links[link]?.send(.clock(clocks[link, default: PeerClock()].reading(at: wallClock())))
  }

  func hear(_ reading: ClockReading, from link: LinkID) {
    guard board.place(of: link) != nil else { return }
    if clocks[link, default: PeerClock()].record(reading, at: wallClock()) { sayTime(link) }
    guard let ahead = clocks[link]?.ahead else { return }
    board.record(clockAhead: ahead, at: link)
    announceStatus()
  }
}
