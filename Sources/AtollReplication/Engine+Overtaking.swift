import AtollChanges
import AtollVocabulary
import AtollWire

// Overtaking: what somebody has just written goes ahead of a long catch-up on the same link.
//
//     log     A:1 A:2 A:3 … A:90000                C:7
//     sent    ──────────▶ (window full)
//     peer    holds A:1 … A:2500, C:6
//
// C:7 may overtake if the peer holds all that it depends on: C:6, and nothing of A beyond 2500. Of C
// little is lacked, of A much, and that is how the two are told apart; what the peer *holds* counts,
// not what it was sent, for at the peer it goes before what waits there. What the sender itself writes
// depends on all that it has applied and so overtakes nothing of that: causality comes before haste.

extension Engine {
  /// Has the log looked into for what can go ahead, while much is on its way.
  mutating func overtake(_ index: Int) {
    let session = sessions[index]
    guard session.outgoing.mayOvertake else { return }
    let authors = session.outgoing.lackingLittle(of: holdings, held: session.theirs)
    guard !authors.isEmpty else { return }
    let request = OvertakingRequest(
      after: authors, held: session.theirs.held, byteLimit: session.outgoing.aheadRoom)
    guard request != session.outgoing.overtakingInVain else { return }
    sessions[index].outgoing.overtaking = request
    perform(.readOvertaking(session.link, request))
  }

  mutating func overtakingRead(_ link: LinkID, _ entries: [LogEntry]) {
    guard let index = index(of: link) else { return }
    let runs = sessions[index].outgoing.takeAhead(entries)
    guard sessions[index].isEstablished else { return }
    if !runs.isEmpty {
      noteTold(index, by: runs)
      send(index, .ahead(runs))
    }
    overtake(index)
  }
}
