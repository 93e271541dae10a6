import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire

// Connections between nodes, and the frames on them.

extension World {
  func connect(_ node: Int, to peer: PeerID) {
    guard let target = nodes.firstIndex(where: { World.peer($0.number) == peer }) else { return }
    let attempt = Attempt(source: node, life: nodes[node].life, target: target)
    schedule.add(.opening(attempt), at: now.advanced(by: delay()))
  }

  func open(_ attempt: Attempt) {
    let source = attempt.source
    guard nodes[source].life == attempt.life else { return }
    let isReachable =
      nodes[attempt.target].isUp && !network.isBlocked(from: source, to: attempt.target)
      && !network.isBlocked(from: attempt.target, to: source)
    guard isReachable else {
      let reason = "node \(attempt.target) does not answer"
      return deliver(.connectFailed(World.peer(attempt.target), reason: reason), to: source)
    }
    let ends = [source, attempt.target].map { node in
      let link = LinkID(nodes[node].nextLink)
      nodes[node].nextLink += 1
      nodes[node].connections[link] = network.connections.count
      return Network.End(
        node: node, life: nodes[node].life, link: link,
        decoder: FrameDecoder(compression: compression))
    }
    network.connections.append(Network.Connection(ends: ends))
    deliver(.linkOpened(ends[0].link, .dialed(World.peer(attempt.target))), to: source)
    deliver(.linkOpened(ends[1].link, .accepted(from: "node-\(source)")), to: attempt.target)
  }

  /// Sends a frame as bytes: perhaps twice, late, or not at all.
  func send(_ frame: Frame, over link: LinkID, from node: Int) {
    guard let place = nodes[node].connections[link],
      let own = network.connections[place].end(at: link, of: node),
      network.connections[place].ends[own].isOpen
    else { return }
    let points = Self.points(of: frame)
    if let points, dies(node, at: points.before) { return }
    let frame = forged(exaggerated(frame, by: node), by: node)
    promise(frame, by: node)
    var encoder = FrameEncoder(compression: compression)
    let bytes = encoder.encode(frame)
    trace.combine(bytes.suffix(4))
    report.framesSent += 1
    report.bytesSent += bytes.count
    count(frame, bytes.count)
    let target = network.connections[place].ends[1 - own].node
    let isLost = network.isBlocked(from: node, to: target) || chance(percent: lossPercent)
    if isLost {
      report.framesLost += 1
    } else {
      carry(frame, bytes, place, 1 - own)
      if chance(percent: duplicatePercent) { carry(frame, bytes, place, 1 - own) }
    }
    if let points { _ = dies(node, at: points.after) }
  }

  /// Counts what is sent to make nodes equal: whole frames, and not less for what is compressed.
  private func count(_ frame: Frame, _ byteCount: Int) {
    let canonical: Int
    var seals = 1
    switch frame {
    case .changesets(let runs), .expedited(let runs):
      canonical = runs.reduce(0) { $0 + $1.byteCount }
      seals = runs.count
    case .chunk(let chunk): canonical = chunk.bytes.count
    case .hello, .goodbye, .acknowledgements, .progress, .request, .keepAlive, .digest, .prune,
      .question, .answer, .clock, .chunkReceipt, .credit:
      if isCalm { report.talkBytes += (simulation.sabotage == .chatter ? 20 : 1) * byteCount }
      return
    case .pair, .paired, .declined, .snapshotOffer, .snapshotRequest, .snapshotWanted,
      .snapshotPage, .backfillRequest, .backfill, .localHello, .committed:
      return
    }
    let times = simulation.sabotage == .repetition ? 20 : 1
    // A seal takes more than most changesets here, and the bound is about those.
    let sealBytes = seals * Seal.byteCount
    changesetBytes += times * max(canonical, byteCount - Self.preambleBytes - sealBytes)
  }

  /// The length of a link's first bytes, which are in every frame that the encoder gives.
  private static let preambleBytes = 8

  func arrive(_ place: Int, _ index: Int, _ piece: Network.Piece) {
    let end = network.connections[place].ends[index]
    guard end.isOpen, nodes[end.node].life == end.life else { return }
    do {
      let frames =
        conditions.isStream
        ? try read(piece, &network.connections[place].ends[index].decoder)
        : try readAlone(piece)
      guard frames == [piece.frame].compactMap(\.self) else {
        return violate(.report, "\(piece.frame.map { "\($0)" } ?? "nothing") became \(frames)")
      }
      guard let frame = frames.first else { return }
      if simulation.sabotage == .ignoredRequests, case .request = frame { return }
      if case .acknowledgements(let known) = frame { checkBeliefs(known.replicas, of: end.node) }
      deliver(.received(end.link, frame), to: end.node)
    } catch {
      violate(.report, "a frame that was sent could not be read: \(error)")
    }
  }

  /// Reads the next bytes of a stream: at once, in two parts, or one by one.
  private func read(
    _ piece: Network.Piece, _ decoder: inout FrameDecoder
  ) throws(WireError) -> [Frame] {
    var frames: [Frame] = []
    var rest = piece.bytes
    let isTrickling = rest.count <= 512 && chance(percent: 20)
    while !rest.isEmpty {
      let count = isTrickling ? 1 : Int.random(in: 1...rest.count, using: &random)
      decoder.append(rest.prefix(count))
      rest = rest.dropFirst(count)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return frames
  }

  /// Reads a frame that comes by itself, in two parts.
  private func readAlone(_ piece: Network.Piece) throws(WireError) -> [Frame] {
    var decoder = FrameDecoder(compression: compression)
    let cut = Int.random(in: 0..<piece.bytes.count, using: &random)
    var frames: [Frame] = []
    decoder.append(piece.bytes.prefix(cut))
    while let frame = try decoder.next() { frames.append(frame) }
    decoder.append(piece.bytes.dropFirst(cut))
    while let frame = try decoder.next() { frames.append(frame) }
    return frames
  }

  /// An engine closes its end; the other hears of it unless the network keeps it from it.
  func hangUp(_ link: LinkID, of node: Int) {
    guard let place = nodes[node].connections[link],
      let own = network.connections[place].end(at: link, of: node)
    else { return }
    part(place, own)
  }

  /// The stream ends at one end, at once, and at the other behind the frames under way.
  func part(_ place: Int, _ own: Int) {
    schedule.add(.closing(connection: place, end: own), at: now.advanced(by: delay()))
    let other = network.connections[place].ends[1 - own]
    let node = network.connections[place].ends[own].node
    guard !network.isBlocked(from: node, to: other.node) else { return }
    let instant = max(now.advanced(by: delay()), other.lastArrival)
    schedule.add(.closing(connection: place, end: 1 - own), at: instant)
  }

  func close(_ place: Int, _ index: Int) {
    let end = network.connections[place].ends[index]
    guard end.isOpen else { return }
    if end.isHalfway { report.framesCut += 1 }
    network.connections[place].ends[index].isOpen = false
    guard nodes[end.node].life == end.life else { return }
    nodes[end.node].connections[end.link] = nil
    deliver(.linkClosed(end.link, reason: "the stream ended"), to: end.node)
  }

  func delay() -> Duration { chance(upTo: conditions.longestDelay) }

  private var lossPercent: Int { isCalm ? 0 : conditions.lossPercent }
  private var duplicatePercent: Int { isCalm ? 0 : conditions.duplicatePercent }

  private func carry(_ frame: Frame, _ bytes: [UInt8], _ place: Int, _ index: Int) {
    guard conditions.isStream else {
      let piece = Network.Piece(bytes: bytes[...], frame: frame)
      return bring(piece, place, index, inOrder: isCalm)
    }
    let isGreeted = network.connections[place].ends[index].isGreeted
    network.connections[place].ends[index].isGreeted = true
    var rest = isGreeted ? bytes.dropFirst(Self.preambleBytes) : bytes[...]
    // The stream may break between the parts of a frame, wherever they end.
    while rest.count > 1, chance(percent: 50) {
      let count = Int.random(in: 1..<rest.count, using: &random)
      bring(Network.Piece(bytes: rest.prefix(count), frame: nil), place, index, inOrder: true)
      rest = rest.dropFirst(count)
    }
    bring(Network.Piece(bytes: rest, frame: frame), place, index, inOrder: true)
  }

  private func bring(_ piece: Network.Piece, _ place: Int, _ index: Int, inOrder: Bool) {
    var instant = now.advanced(by: delay())
    let last = network.connections[place].ends[index].lastArrival
    if inOrder { instant = max(instant, last.advanced(by: .nanoseconds(1))) }
    network.connections[place].ends[index].lastArrival = max(last, instant)
    var piece = piece
    if simulation.sabotage == .noise, chance(percent: 5) {
      piece.bytes[piece.bytes.startIndex] ^= 0x10
    }
    schedule.add(.arrival(connection: place, end: index, piece), at: instant)
  }

  /// Remembers what a node says it holds; it has to be true from then on.
  private func promise(_ frame: Frame, by node: Int) {
    switch frame {
    case .hello(let hello): nodes[node].promised.formUnion(hello.holdings.stored)
    case .progress(let holdings), .keepAlive(let holdings):
      nodes[node].promised.formUnion(holdings.stored)
    case .goodbye, .changesets, .expedited, .chunk, .chunkReceipt, .request, .digest, .prune,
      .acknowledgements, .question, .answer, .pair, .paired, .declined, .credit, .clock,
      .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest, .backfill,
      .localHello, .committed:
      break
    }
  }
}
