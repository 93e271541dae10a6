package import AtollChanges
import AtollVocabulary
import AtollWire

// What each replica has is told further, so that in a line A–B–C, A learns what C has. Who has
// something says so itself, with the hash of the last changeset: whoever has the same changesets can
// check that they are the same, by whichever route it came. A frame has what changed since the last one
// on the link; it is confirmed with the next one the other way, and told again with a keep-alive if it
// was not. What a replica said in one incarnation says nothing of another.

/// What one link was told of others, and what it told.
struct AcknowledgementExchange: Hashable, Sendable {
  /// A frame that is not confirmed yet.
  struct Unconfirmed: Hashable, Sendable {
    var number: UInt64
    /// Up to which change the peer had been told before.
    var before: UInt64
    var isOld = false
  }

  /// The change up to which the peer was told.
  var told: UInt64 = 0
  /// The number of the last frame that told something, and the one after which the next has all.
  var number: UInt64 = 0
  var follows: UInt64 = 0
  /// Ascending by number.
  var unconfirmed: [Unconfirmed] = []
  /// The last number up to which all of the peer's have come, and what was said of it.
  var received: UInt64 = 0
  var confirmed: UInt64 = 0
}

extension Engine {
  /// What others are known to have, ascending by replica.
  package var known: [PeerProgress] { knowledge.replicas.map(\.progress) }

  /// What was known when the file was last open; comes once, behind ``Event/start(_:)``.
  mutating func remember(_ known: [PeerProgress]) {
    for replica in known where replica.peer != configuration.author.commonHistory {
      _ = knowledge.learn(replica.peer, replica.holdings, here: holdings, from: nil)
    }
    knowledge.markSaved()
  }

  /// A replica has something, by its own word or another's.
  mutating func note(
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
      note(replica.peer, replica.holdings, from: sessions[index].link, at: now)
    }
  }

  /// Tells further and writes down what is new, if it is time.
  mutating func acknowledge(at now: Instant) {
    guard let due = acknowledgeAt else { return }
    guard due <= now else { return arm(at: due) }
    acknowledgeAt = nil
    acknowledgedAt = now
    save()
    var isMore = false
    for index in sessions.indices where sessions[index].isEstablished {
      if tellOthers(index) { isMore = true }
    }
    if isMore { planAcknowledging(at: now) }
  }

  /// Has what is new written down.
  mutating func save() {
    let unsaved = knowledge.takeUnsaved()
    if !unsaved.isEmpty { perform(.persistProgress(unsaved)) }
  }

  /// With a keep-alive: tells again what was not confirmed, and confirms.
  mutating func confirm(_ index: Int, at now: Instant) {
    let exchange = sessions[index].acknowledgements
    if let first = exchange.unconfirmed.first, first.isOld {
      sessions[index].acknowledgements.told = first.before
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
    // In a large store less often: everybody is told of everybody.
    let pause = Limits.acknowledgementInterval * max(1, knowledge.replicas.count / 16)
    let next = acknowledgedAt?.advanced(by: pause) ?? now
    let due = max(now, next)
    acknowledgeAt = due
    arm(at: due)
  }

  /// Tells a peer what changed since it was last told; whether there is more.
  private mutating func tellOthers(_ index: Int) -> Bool {
    var exchange = sessions[index].acknowledgements
    guard exchange.told < knowledge.changes, let peer = sessions[index].peer,
      exchange.unconfirmed.count < Limits.unconfirmedAcknowledgements
    else { return false }
    let (replicas, through) = knowledge.news(
      after: exchange.told, to: sessions[index].link,
      except: [peer.commonHistory, configuration.author.commonHistory],
      limit: Limits.acknowledgedHeads)
    let before = exchange.told
    exchange.told = through
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
