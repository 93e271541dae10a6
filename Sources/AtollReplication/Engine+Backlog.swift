import AtollChanges
import AtollVocabulary
import AtollWire

// The log below a snapshot: asked for frame by frame from one peer while everything else goes on, so
// that a file that began with a snapshot can soon give what its peers can.

/// What is being asked for: one question at a time, of one peer.
struct BacklogTaking: Hashable, Sendable {
  var link: LinkID
  var askedAt: Instant
  /// The file is writing an answer; whether the peer had no more than that.
  var keeping: Bool?
}

extension Engine {
  /// How the file's log begins, by now.
  mutating func begin(with beginning: LogBeginning, at now: Instant) {
    floor = beginning.floor
    snapshot = beginning.offer
    missing = beginning.missing
    seekBacklog(at: now)
  }

  /// Asks a peer for what is missing of the log, unless one is asked or there is none.
  mutating func seekBacklog(at now: Instant) {
    guard missing != nil, backlog == nil, bootstrap == nil, !isStopping else { return }
    let ready = sessions.firstIndex { session in
      session.isEstablished && !session.isReader
        && session.backlog.pausedUntil.map { $0 <= now } ?? true
    }
    guard let ready else { return }
    backlog = BacklogTaking(link: sessions[ready].link, askedAt: now)
    askForBacklog(ready)
  }

  private mutating func askForBacklog(_ index: Int) {
    guard let missing else { return }
    send(index, .backlogRequest(missing))
  }

  mutating func receive(_ index: Int, _ answer: Backlog, at now: Instant) {
    guard let current = backlog, current.link == sessions[index].link, current.keeping == nil
    else { return }
    backlog?.askedAt = now
    guard answer.state != .waiting else { return passOver(index, at: now) }
    backlog?.keeping = answer.state == .end
    perform(.keepBacklog(sessions[index].link, answer))
  }

  /// The file has kept what came, unless there is a reason against it.
  mutating func backlogKept(
    _ link: LinkID, _ beginning: LogBeginning, refusal: String?, at now: Instant
  ) {
    let wasEnd = backlog?.link == link ? backlog?.keeping : nil
    if wasEnd != nil { backlog?.keeping = nil }
    let isFurther = beginning.missing != missing
    floor = beginning.floor
    snapshot = beginning.offer
    missing = beginning.missing
    if let refusal { perform(.report(.snapshotRefused(link, reason: refusal))) }
    guard missing != nil else {
      backlog = nil
      for index in sessions.indices { pump(index) }
      return
    }
    guard let wasEnd, let index = index(of: link), sessions[index].isEstablished else {
      return seekBacklog(at: now)
    }
    // Who sends what is here already is not asked for more at once.
    if wasEnd || refusal != nil || !isFurther { return passOver(index, at: now) }
    backlog?.askedAt = now
    askForBacklog(index)
  }

  /// Asks another peer, and this one only after a while.
  private mutating func passOver(_ index: Int, at now: Instant) {
    sessions[index].backlog.pausedUntil = now.advanced(by: Limits.backlogPause)
    backlog = nil
    seekBacklog(at: now)
  }

  /// Asks again for what was lost on the way, or a peer that had nothing a while ago.
  mutating func checkOnBacklog(_ index: Int, at now: Instant) {
    if let current = backlog, current.link == sessions[index].link, current.keeping == nil,
      current.askedAt.advanced(by: Limits.keepAliveInterval) <= now
    {
      backlog?.askedAt = now
      askForBacklog(index)
    }
    seekBacklog(at: now)
  }

  mutating func abandonBacklog(_ link: LinkID, at now: Instant) {
    guard backlog?.link == link else { return }
    backlog = nil
    seekBacklog(at: now)
  }

  // MARK: Giving

  /// A peer has begun with a snapshot; one answer at a time.
  mutating func requested(_ index: Int, _ request: BacklogRequest) {
    guard !sessions[index].backlog.isReading else { return }
    sessions[index].backlog.isReading = true
    perform(.readBacklog(sessions[index].link, request))
  }

  mutating func backlogRead(_ link: LinkID, _ answer: Backlog) {
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    sessions[index].backlog.isReading = false
    send(index, .backlog(answer))
  }
}

/// What a session has to do with the log below a snapshot.
struct BacklogExchange: Hashable, Sendable {
  /// The peer waits for an answer that is being read.
  var isReading = false
  /// It had nothing: when it is worth asking again.
  var pausedUntil: Instant?
}
