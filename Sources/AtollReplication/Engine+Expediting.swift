import AtollChanges
import AtollVocabulary
import AtollWire

// Expediting: small new changesets pass a long catch-up on the same link.
//
//     log     A:1 A:2 A:3 … A:90000                C:7
//     sent    ──────────▶ (window full)
//     peer    holds A:1 … A:2500, C:6
//
// C:7 may be expedited if the peer holds all that it depends on: C:6, and nothing of A beyond 2500. Of C
// little is lacked, of A much, and that is how the two are told apart; what the peer *holds* counts,
// not what it was sent, for at the peer it goes before what waits there. What the sender itself writes
// depends on all that it has applied and so passes nothing of that: causality comes before haste.

extension Engine {
  /// Looks in the log for changesets to expedite, while a full window is on its way.
  mutating func expedite(_ index: Int) {
    let session = sessions[index]
    guard session.outgoing.mayExpedite else { return }
    let authors = session.outgoing.lackingLittle(of: holdings, stored: session.theirs)
    guard !authors.isEmpty else { return }
    let request = ExpediteRequest(
      after: authors, stored: session.theirs.stored, byteLimit: session.outgoing.expeditableBytes)
    guard request != session.outgoing.vainExpediteRequest else { return }
    sessions[index].outgoing.expediteRequest = request
    perform(.readExpedited(session.link, request))
  }

  /// Sends the expedited changesets that were read, and looks for more.
  mutating func expeditedRead(_ link: LinkID, _ entries: [LogEntry]) {
    guard let index = index(of: link) else { return }
    let runs = sessions[index].outgoing.expedite(entries)
    guard sessions[index].isEstablished else { return }
    if !runs.isEmpty {
      markAnnounced(index, by: runs)
      send(index, .expedited(runs))
    }
    expedite(index)
  }
}
