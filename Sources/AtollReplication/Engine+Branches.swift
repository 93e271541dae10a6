import AtollChanges
import AtollVocabulary
import AtollWire

// Authors that have several histories, because a disk was rolled back. To a file that knows one of them
// it is the author; to one that knows two, each is an author of its own, and what they have in common
// another. So two sides may call the same changesets by different names, until both know both:
//
// - what comes under a name that is none here is placed by its hashes, and acknowledged as the sender
//   calls it;
// - what does not follow what is here is asked for from further back, until its beginning is found;
// - once the file knows of another history, all links begin anew, with the new names.
extension Engine {
  /// Tells whether the file knows of histories that are new; nil if it was read before what is known.
  func hasBranched(_ holdings: Holdings) -> Bool? {
    let (known, new) = (self.holdings.branches, holdings.branches)
    if new == known { return false }
    return new.isSuperset(of: known) ? true : nil
  }

  /// Takes over the new names; links on which the old ones were used end.
  mutating func branched(to holdings: Holdings, at now: Instant) {
    let before = self.holdings
    self.holdings = holdings
    let renamed = before.heads.first { holdings.sequence(of: $0.author) < $0.sequence }
    guard let renamed else { return }
    let text =
      "\(renamed.author) has several histories from changeset "
      + "\(holdings.sequence(of: renamed.author).next) on; the exchange begins anew"
    for index in sessions.indices { farewell(index, Goodbye(.branched, text), at: now) }
  }

  /// Adopts a new incarnation, and ends all links to begin them anew: what peers know of the former one
  /// says nothing of this one.
  mutating func startIncarnation(_ author: Author, at now: Instant) {
    guard author != configuration.author else { return }
    configuration.author = author
    let text =
      "this replica has started incarnation \(author.shortDescription); the exchange begins anew"
    for index in sessions.indices { farewell(index, Goodbye(.branched, text), at: now) }
  }

  /// Asks for an author's changesets from further back; there is another history of it, or the peer
  /// says so.
  mutating func trace(_ index: Int, _ author: Author, back known: SequenceNumber) {
    _ = sessions[index].incoming.trace(author, back: known)
    sessions[index].incoming.requestedAt = nil
  }

  /// The same for all names that the peer has for an author, as often as there is a further back:
  /// a branch may follow a history that is not the one here of that name.
  ///
  /// Once all of it has come without the other history, nothing more of it is taken on this link,
  /// nor of `dependent`, whose changesets need it: they would come again and again.
  mutating func trace(
    _ index: Int, _ known: ChangesetID, _ received: ChainHash, for dependent: Author,
    at now: Instant
  ) {
    var names = sessions[index].theirs.heads.map(\.author).filter {
      $0.commonHistory == known.author.commonHistory
    }
    let named = names.count
    if !names.contains(known.author) { names.append(known.author) }
    var isUnderWay = false
    var goesFurther = false
    for (place, name) in names.enumerated() {
      switch sessions[index].incoming.trace(name, back: known.sequence) {
      case .further: goesFurther = true
      case .underWay where place < named: isUnderWay = true
      case .underWay, .atBeginning: break
      }
    }
    if goesFurther { sessions[index].incoming.requestedAt = nil }
    if goesFurther || isUnderWay { return }
    if dependent.commonHistory != known.author.commonHistory,
      !sessions[index].incoming.withheld.contains(dependent)
    {
      sessions[index].incoming.withheld.append(dependent)
    }
    withhold(index, known: known, received: received, at: now)
  }

  /// Acknowledges under the sender's names what this file calls by others.
  mutating func acknowledge(_ index: Int, _ outcomes: [(IncomingName, ApplyOutcome)]) {
    var heads = Holdings.none
    for (name, outcome) in outcomes where outcome.isKept {
      guard holdings.sequence(of: name.author) < name.sequence,
        let hash = name.hash ?? outcome.id?.hash
      else { continue }
      heads.adopt(ChangesetID(author: name.author, sequence: name.sequence, hash: hash))
      if case .applied = outcome { heads.applied[name.author] = name.sequence }
    }
    if !heads.heads.isEmpty { send(index, .progress(heads)) }
  }
}

extension ApplyOutcome {
  fileprivate var id: ChangesetID? {
    switch self {
    case .applied(let id), .deferred(let id, _), .branched(let id, _): id
    case .duplicate, .missing, .overflowing, .detached, .equivocation, .refused: nil
    }
  }
}
