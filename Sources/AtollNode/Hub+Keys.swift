import AtollReplication
import AtollTransport
import AtollVocabulary
import AtollWire

// The key of a replica: the one that it showed on the first link of its own. Nothing that comes
// from elsewhere changes that; it ends when the key goes from the roster.
extension Hub {
  /// Takes a frame of a link, unless its role or its key forbids it.
  func receive(_ frame: Frame, over link: LinkID) {
    if case .hello(let hello) = frame, hello.storeID == storeID,
      let objection = objection(toRemoved: hello.author.replica)
        ?? objection(to: hello.author.replica, over: link)
    {
      return handle(.revoked(link, objection))
    }
    guard !refuse(frame, from: link) else { return }
    handle(.received(link, frame))
  }

  /// Why a link's key may not speak for a replica; nil if it may, from now on alone.
  private func objection(to replica: ReplicaID, over link: LinkID) -> Goodbye? {
    guard let identity = links[link]?.peer?.identity else { return nil }
    if let known = pinned[replica] {
      guard known != identity else { return nil }
      return Goodbye(
        .stranger,
        "replica \(replica) has shown another key here: \(known), and this link has "
          + "\(identity). If its key was replaced, run `atoll peer remove` with the former one "
          + "here; if its file was copied, give the copy an id of its own with `atoll clone`")
    }
    guard pinned.values.count(where: { $0 == identity }) < Limits.keyReplicas else {
      return Goodbye(
        .overload,
        "the key \(identity) has named itself \(Limits.keyReplicas) replicas of this store, as "
          + "many as one may; run `atoll peer remove` and `atoll peer add` here")
    }
    pinned[replica] = identity
    service.request(.pin(replica, identity))
    return nil
  }

  /// Why nothing is exchanged with a replica that an owner of the store has removed; nil with any other.
  private func objection(toRemoved replica: ReplicaID) -> Goodbye? {
    guard removed.contains(replica) else { return nil }
    return Goodbye(
      .removed,
      "an owner of the store has removed replica \(replica): what it writes counts for nothing. Make a new "
        + "replica there, and have an owner admit that")
  }

  /// Takes over who is removed, and ends the links with them.
  func take(removed: [ReplicaID]) {
    self.removed = Set(removed)
    for link in links.keys.sorted() {
      guard let replica = board.peer(at: link)?.replica,
        let objection = objection(toRemoved: replica)
      else { continue }
      handle(.revoked(link, objection))
    }
  }

  /// Tells whether the key of a link is one that a removed replica has shown.
  func isOfRemoved(_ link: LinkID) -> Bool {
    guard let identity = links[link]?.peer?.identity else { return false }
    return removed.contains { pinned[$0] == identity }
  }

  /// Tells whether a key has as many links to this store as one may.
  func isCrowded(by identity: NodeIdentity) -> Bool {
    links.values.count { $0.peer?.identity == identity } >= Limits.keyLinks
  }

  /// Why one more link of a key is not taken.
  static let crowded = Goodbye(
    .overload, "there are \(Limits.keyLinks) links of this key to the store already")
}
