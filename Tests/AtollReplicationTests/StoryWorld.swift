import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire

/// Plays the commands of a story, and writes down what the nodes say.
///
/// Frames are delivered in the order in which they were sent, files answer at once, and time
/// stands still unless the story waits.
struct StoryWorld {
  private var nodes: [StoryNode] = []
  private var now = Instant(nanoseconds: 0)
  private var connections: [(ends: [(node: Int, link: LinkID)], isOpen: Bool)] = []
  private var underWay: [(connection: Int, end: Int, frame: Frame)] = []
  private var lines: [String] = []
  private var linkCount: UInt64 = 0

  /// Returns the effects of one command, line by line.
  mutating func play(_ command: String) throws -> [String] {
    lines = []
    let words = command.split(separator: " ").map(String.init)
    switch (words.first, words.dropFirst().map { $0 }) {
    case ("nodes", let names): addNodes(names)
    case ("commit", let arguments): try commit(arguments)
    case ("link", let names): try link(names)
    case ("cut", let names): try cut(names)
    case ("deliver", let arguments): settle(atMost: arguments.first.flatMap { Int($0) } ?? .max)
    case ("lose", let names): try lose(names)
    case ("swap", _): underWay.reverse()
    case ("repeat", _): underWay += underWay
    case ("wait", let arguments): try wait(arguments)
    case ("spoil", let names):
      for node in try names.map({ try index(of: $0) }) { nodes[node].store.isSpoiled.toggle() }
    case ("show", _):
      for node in nodes { lines.append("\(node.name) holds \(text(node.store.holdings()))") }
    default: throw StoryError(text: "no such command: \(command)")
    }
    return lines
  }

  private mutating func addNodes(_ names: [String]) {
    for name in names {
      nodes.append(StoryNode(name: name, number: 0xA + UInt64(nodes.count)))
      handle(.start(.none), nodes.count - 1)
    }
  }

  private mutating func commit(_ arguments: [String]) throws {
    let node = try index(of: arguments.first)
    for _ in 0..<(arguments.dropFirst().first.flatMap { Int($0) } ?? 1) {
      nodes[node].store.commit()
    }
    handle(.logAdvanced(nodes[node].store.holdings()), node)
  }

  private mutating func link(_ names: [String]) throws {
    let ends = try names.map { try index(of: $0) }.map { node in
      linkCount += 1
      return (node: node, link: LinkID(linkCount))
    }
    guard ends.count == 2 else { throw StoryError(text: "link needs two nodes") }
    connections.append((ends, true))
    handle(.linkOpened(ends[0].link, .dialed(PeerID(nodes[ends[1].node].name))), ends[0].node)
    handle(
      .linkOpened(ends[1].link, .accepted(from: nodes[ends[0].node].name)), ends[1].node)
  }

  private mutating func cut(_ names: [String]) throws {
    let pair = try names.map { try index(of: $0) }
    for place in connections.indices
    where connections[place].isOpen && Set(connections[place].ends.map(\.node)) == Set(pair) {
      end(place)
    }
  }

  private mutating func end(_ place: Int) {
    guard connections[place].isOpen else { return }
    connections[place].isOpen = false
    underWay.removeAll { $0.connection == place }
    for end in connections[place].ends { handle(.linkClosed(end.link, reason: "cut"), end.node) }
  }

  /// Delivers frames under way and what they lead to.
  private mutating func settle(atMost count: Int = .max) {
    var delivered = 0
    while !underWay.isEmpty, delivered < count {
      delivered += 1
      let (place, index, frame) = underWay.removeFirst()
      let target = connections[place].ends[index]
      let source = connections[place].ends[1 - index]
      lines.append("\(nodes[source.node].name) → \(nodes[target.node].name) \(text(frame))")
      handle(.received(target.link, frame), target.node)
    }
  }

  private mutating func lose(_ names: [String]) throws {
    let pair = try names.map { try index(of: $0) }
    var kept = underWay
    kept.removeAll { item in
      let ends = connections[item.connection].ends
      guard ends[1 - item.end].node == pair.first, ends[item.end].node == pair.last else {
        return false
      }
      lines.append("lost: \(text(item.frame))")
      return true
    }
    underWay = kept
  }

  /// Lets time pass; frames are delivered as they are sent.
  private mutating func wait(_ arguments: [String]) throws {
    guard let seconds = arguments.first.flatMap({ Int($0) }) else {
      throw StoryError(text: "wait how many seconds?")
    }
    let end = now.advanced(by: .seconds(seconds))
    settle()
    while let due = nodes.compactMap(\.timer).min(), due <= end {
      now = max(now, due)
      for index in nodes.indices where nodes[index].timer == due {
        nodes[index].timer = nil
        handle(.timer, index)
      }
      settle()
    }
    now = end
  }

  private mutating func handle(_ event: Event, _ node: Int) {
    for action in nodes[node].engine.handle(event, at: now) { perform(action, node) }
  }

  private mutating func perform(_ action: Action, _ node: Int) {
    switch action {
    case .connect(let peer): lines.append("\(nodes[node].name) connects to \(peer)")
    case .send(let link, let frame):
      guard let place = connections.firstIndex(where: { $0.ends.contains { $0.link == link } }),
        let own = connections[place].ends.firstIndex(where: { $0.link == link })
      else { return }
      underWay.append((place, 1 - own, frame))
    case .close(let link, _):
      settle()
      if let place = connections.firstIndex(where: { $0.ends.contains { $0.link == link } }) {
        end(place)
      }
    case .store(let action): perform(action, node)
    case .setTimer(let instant): nodes[node].timer = instant
    case .report(let event): report(event, node)
    }
  }

  /// Performs what an engine asks of its store; the events come at once.
  private mutating func perform(_ action: StoreAction, _ node: Int) {
    var events: [Event] = []
    do throws(StoryError) {
      events = try nodes[node].performer.perform(action)
    } catch {
      events += [action.answer(failing: error).event].compactMap { $0 }
    }
    for event in events {
      if case .applied(_, let outcomes, _) = event, case .apply(_, let batch) = action {
        lines.append("\(nodes[node].name) applies \(text(batch, outcomes))")
      }
      handle(event, node)
    }
  }

  private mutating func report(_ event: StatusEvent, _ node: Int) {
    switch event {
    case .caughtUp(_, let peer):
      lines.append("\(nodes[node].name) has sent \(name(peer)) everything")
    case .unlinked(_, let origin, _, let reason, _):
      lines.append("\(nodes[node].name) is unlinked from \(origin): \(summary(reason))")
    case .diverged(_, let peer, let ours, let theirs):
      lines.append(
        "\(nodes[node].name) is diverged from \(name(peer)): \(ours.digest.low), \(theirs.digest.low)"
      )
    case .agreed(_, let peer): lines.append("\(nodes[node].name) agrees with \(name(peer)) again")
    case .linked, .connectFailed, .deferredByClock, .overflowing, .branched, .equivocation,
      .refused, .diskFull, .diskHasSpace, .peerDiskFull, .peerDiskHasSpace, .window, .bootstrapping,
      .bootstrapped, .wantingSnapshot, .snapshotEarly, .snapshotRefused, .backfillLost:
      break
    }
  }

  private func summary(_ reason: CloseReason) -> String {
    switch reason {
    case .byUs(let goodbye): "said \(goodbye.code)"
    case .byPeer(let goodbye): "heard \(goodbye.code)"
    case .lost(let text): text
    }
  }

  private func index(of name: String?) throws -> Int {
    guard let index = nodes.firstIndex(where: { $0.name == name }) else {
      throw StoryError(text: "no node \(name ?? "without a name")")
    }
    return index
  }
}

struct StoryError: Error {
  var text: String
}

// MARK: Text

extension StoryWorld {
  private func name(_ author: Author) -> String {
    nodes.first { $0.author == author }?.name ?? author.shortDescription
  }

  private func text(_ holdings: Holdings) -> String {
    "{" + holdings.heads.map { "\(name($0.author)):\($0.sequence)" }.joined(separator: " ") + "}"
  }

  private func text(_ frame: Frame) -> String {
    switch frame {
    case .hello(let hello): "hello \(text(hello.holdings))"
    case .goodbye(let goodbye): "goodbye \(goodbye.code)"
    case .changesets(let runs):
      "changesets "
        + runs.map { "\(name($0.author)):\($0.first)–\($0.last)" }.joined(separator: " ")
    case .chunk(let chunk): "chunk \(name(chunk.id.author)):\(chunk.id.sequence)"
    case .chunkReceipt(let receipt): "receipt \(receipt.received)"
    case .progress(let holdings): "progress \(text(holdings))"
    case .request(let vector):
      "request after {"
        + vector.entries.map { "\(name($0.author)):\($0.sequence)" }.joined(separator: " ") + "}"
    case .keepAlive(let holdings): "keep-alive \(text(holdings))"
    case .digest(let held): "digest \(held.digest.low)"
    case .prune: "prune"
    case .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest,
      .backfill:
      "\(frame.lines)"
    case .acknowledgements(let known):
      "acknowledgements"
        + known.replicas.map { " \(name($0.peer)) \(text($0.holdings))" }.joined()
    case .credit(let credit): "credit of \(credit.window)"
    case .clock: "clock"
    case .expedited(let runs):
      "expedited "
        + runs.map { "\(name($0.author)):\($0.first)–\($0.last)" }.joined(separator: " ")
    case .question, .answer, .pair, .paired, .declined, .localHello, .committed: "\(frame.kind)"
    }
  }

  private func text(_ batch: [IncomingChangeset], _ outcomes: [ApplyOutcome]) -> String {
    zip(batch, outcomes).map { changeset, outcome in
      let id = "\(name(changeset.author)):\(changeset.sequence)"
      return switch outcome {
      case .applied: id
      case .duplicate: "\(id) (again)"
      case .missing: "\(id) (too early)"
      case .deferred, .branched, .detached, .overflowing, .equivocation, .refused:
        "\(id) (\(outcome))"
      }
    }.joined(separator: " ")
  }
}
