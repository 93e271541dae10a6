package import AtollChanges
import AtollVocabulary
import AtollWire

// Acknowledgements are passed on, so that in a line A–B–C, A learns what C has. Each one comes from the
// replica itself, with the hash of the last changeset. So a receiver that has the same changesets can
// check that they are the same, by whatever route the acknowledgement came. A frame has what changed since
// the last one on the link. The next frame the other way confirms it; one that stays unconfirmed is sent
// again with a keep-alive. An acknowledgement of one incarnation is none of another.

/// The acknowledgements of other replicas that were sent and received on one link.
struct AcknowledgementExchange: Hashable, Sendable {
  /// A frame that is not confirmed yet.
  struct Unconfirmed: Hashable, Sendable {
    var number: UInt64
    /// The change up to which acknowledgements had been sent before.
    var before: UInt64
    var isOld = false
  }

  /// The change up to which acknowledgements were sent.
  var announced: UInt64 = 0
  /// The number of the last frame that had any, and the one after which the next has all.
  var number: UInt64 = 0
  var follows: UInt64 = 0
  /// Ascending by number.
  var unconfirmed: [Unconfirmed] = []
  /// The last number up to which all of the peer's have come, and the one that was confirmed.
  var received: UInt64 = 0
  var confirmed: UInt64 = 0
}

extension Engine {
  /// The known holdings of other replicas, ascending by replica.
  package var known: [PeerProgress] { knowledge.replicas.map(\.progress) }

  /// Takes over the holdings that were known when the file was last open; called once, after
  /// ``Event/start(_:)``.
  mutating func remember(_ known: [PeerProgress]) {
    for replica in known where replica.peer != configuration.author.commonHistory {
      _ = knowledge.learn(replica.peer, replica.holdings, here: holdings, from: nil)
    }
    knowledge.markSaved()
  }

  /// A replica has something, by its own word or another's.
  mutating func record(
    _ replica: Author, _ holdings: Holdings, from link: LinkID, at now: Instant
  ) {
    guard replica.commonHistory != configuration.author.commonHistory,
      knowledge.learn(replica, holdings, here: self.holdings, from: link)
    else { return }
    planAcknowledging(at: now)
  }

  mutating func receive(_ index: Int, _ known: Acknowledgements, at now: Instant) {
    sessions[index].acknowledgements.unconfirmed.removeAll { $0.number <= known.received }
    let received = sessions[index].acknowledgements.received
    if known.number > received, known.follows <= received {
      sessions[index].acknowledgements.received = known.number
    } else if known.number > 0 {
      // It does not know that this came, or that something did not.
      sessions[index].acknowledgements.confirmed = 0
    }
    for replica in known.replicas {
      record(replica.peer, replica.holdings, from: sessions[index].link, at: now)
    }
  }

  /// Passes on and saves new acknowledgements, if it is time.
  mutating func acknowledge(at now: Instant) {
    guard let due = acknowledgeAt else { return }
    guard due <= now else { return arm(at: due) }
    acknowledgeAt = nil
    acknowledgedAt = now
    save()
    var isMore = false
    for index in sessions.indices where sessions[index].isEstablished {
      if announceAcknowledgements(index) { isMore = true }
    }
    if isMore { planAcknowledging(at: now) }
  }

  /// Has new acknowledgements saved.
  mutating func save() {
    let unsaved = knowledge.takeUnsaved()
    if !unsaved.isEmpty { perform(.persistProgress(unsaved)) }
  }

  /// With a keep-alive: sends unconfirmed acknowledgements again, and confirms received ones.
  mutating func confirm(_ index: Int, at now: Instant) {
    let exchange = sessions[index].acknowledgements
    if let first = exchange.unconfirmed.first, first.isOld {
      sessions[index].acknowledgements.announced = first.before
      sessions[index].acknowledgements.follows = first.number - 1
      sessions[index].acknowledgements.unconfirmed = []
      planAcknowledging(at: now)
    }
    for place in sessions[index].acknowledgements.unconfirmed.indices {
      sessions[index].acknowledgements.unconfirmed[place].isOld = true
    }
    guard exchange.confirmed < exchange.received else { return }
    sessions[index].acknowledgements.confirmed = exchange.received
    let confirmation = Acknowledgements(number: 0, follows: 0, received: exchange.received)
    send(index, .acknowledgements(confirmation))
  }

  mutating func planAcknowledging(at now: Instant) {
    guard acknowledgeAt == nil else { return }
    // In a large store less often: every replica hears of every other one.
    let pause = Limits.acknowledgementInterval * max(1, knowledge.replicas.count / 16)
    let next = acknowledgedAt?.advanced(by: pause) ?? now
    let due = max(now, next)
    acknowledgeAt = due
    arm(at: due)
  }

  /// Sends a peer the acknowledgements that changed since the last time; whether there are more.
  private mutating func announceAcknowledgements(_ index: Int) -> Bool {
    var exchange = sessions[index].acknowledgements
    guard exchange.announced < knowledge.changes, let peer = sessions[index].peer,
      exchange.unconfirmed.count < Limits.unconfirmedAcknowledgements
    else { return false }
    let (replicas, through) = knowledge.news(
      after: exchange.announced, to: sessions[index].link,
      except: [peer.commonHistory, configuration.author.commonHistory],
      limit: Limits.acknowledgedHeads)
    let before = exchange.announced
    exchange.announced = through
    if !replicas.isEmpty {
      exchange.number += 1
      exchange.unconfirmed.append(.init(number: exchange.number, before: before))
      exchange.confirmed = exchange.received
      send(
        index,
        .acknowledgements(
          Acknowledgements(
            number: exchange.number, follows: exchange.follows, received: exchange.received,
            replicas: replicas)))
      exchange.follows = exchange.number
    }
    sessions[index].acknowledgements = exchange
    return through < knowledge.changes
  }
}
