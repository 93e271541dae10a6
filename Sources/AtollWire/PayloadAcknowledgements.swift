import AtollChanges
import AtollVocabulary

// Acknowledgements name each author and each head once; in most, many replicas have the same.

extension PayloadWriter {
  mutating func payload(_ known: Acknowledgements) {
    varint(known.number)
    varint(known.number - known.follows)
    varint(known.received)
    let heads = Set(known.replicas.flatMap(\.holdings.heads)).sorted(by: Self.precedes)
    let authors = Set(heads.map(\.author) + known.replicas.map(\.peer)).sorted()
    let authorPlaces = Self.places(authors)
    let headPlaces = Self.places(heads)
    varint(authors.count)
    for author in authors { self.author(author) }
    varint(heads.count)
    for head in heads {
      varint(authorPlaces[head.author] ?? 0)
      varint(head.sequence.rawValue)
      raw(head.hash.bytes)
    }
    varint(known.replicas.count)
    for replica in known.replicas {
      varint(authorPlaces[replica.peer] ?? 0)
      varint(replica.holdings.heads.count)
      for head in replica.holdings.heads {
        varint(headPlaces[head] ?? 0)
        let applied = min(replica.holdings.applied[head.author], head.sequence)
        varint(head.sequence.rawValue - applied.rawValue)
      }
    }
  }

  /// By author, number and hash, so that the same is written alike.
  private static func precedes(_ a: ChangesetID, _ b: ChangesetID) -> Bool {
    if (a.author, a.sequence) != (b.author, b.sequence) {
      return (a.author, a.sequence) < (b.author, b.sequence)
    }
    return a.hash.bytes.lexicographicallyPrecedes(b.hash.bytes)
  }

  private static func places<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
    Dictionary(uniqueKeysWithValues: zip(values, 0...))
  }
}

extension PayloadReader {
  mutating func acknowledgements() throws(WireError) -> Acknowledgements {
    let number = try varint()
    let news = try varint()
    guard news <= number, (news == 0) == (number == 0) else {
      throw problem("acknowledgements \(number) with \(news) of them")
    }
    var known = Acknowledgements(
      number: number, follows: number - news, received: try varint())
    var authors: [Author] = []
    for _ in 0..<(try count("authors", atMost: 2 * Limits.acknowledgedHeads)) {
      let author = try author()
      if let last = authors.last, last >= author { throw problem("authors out of order") }
      authors.append(author)
    }
    var heads: [ChangesetID] = []
    for _ in 0..<(try count("heads", atMost: Limits.acknowledgedHeads)) {
      heads.append(try head(authors))
    }
    for _ in 0..<(try count("replicas", atMost: authors.count)) {
      let replica = try replica(authors, heads)
      if let last = known.replicas.last, last.peer >= replica.peer {
        throw problem("replicas out of order")
      }
      known.replicas.append(replica)
    }
    return known
  }

  private mutating func head(_ authors: [Author]) throws(WireError) -> ChangesetID {
    let author = try one(of: authors, "an author")
    return ChangesetID(author: author, sequence: try sequence(), hash: try hash())
  }

  private mutating func replica(
    _ authors: [Author], _ heads: [ChangesetID]
  ) throws(WireError) -> PeerProgress {
    let peer = try one(of: authors, "an author")
    var known: [ChangesetID] = []
    var applied = VersionVector()
    for _ in 0..<(try count("heads of a replica", atMost: heads.count)) {
      let head = try one(of: heads, "a head")
      if let last = known.last, last.author >= head.author { throw problem("heads out of order") }
      let behind = try varint()
      guard behind <= head.sequence.rawValue else {
        throw problem("more is unapplied than is stored")
      }
      known.append(head)
      applied[head.author] = SequenceNumber(head.sequence.rawValue - behind)
    }
    return PeerProgress(peer: peer, holdings: Holdings(heads: known, applied: applied))
  }

  private mutating func one<Value>(of values: [Value], _ what: String) throws(WireError) -> Value {
    let place = try varint()
    guard place < UInt64(values.count) else {
      throw problem("\(what) no. \(place), and there are \(values.count)")
    }
    return values[Int(place)]
  }
}
