import AtollChanges
import AtollVocabulary

// Digests, and the search for differences (`protocol/frames.md` has a table for each).

/// The kind of an answer; the byte before it.
private enum FoundKind: UInt8 {
  case nothing = 0
  case parts = 1
  case objects = 2
}

extension PayloadWriter {
  mutating func payload(_ current: FrontierDigest) {
    raw(current.frontier.bytes)
    digest(current.digest)
  }

  mutating func payload(_ question: DigestQuestion) {
    fixed(question.storeID.high)
    fixed(question.storeID.low)
    byte(question.wantsObjects ? 1 : 0)
    byte(UInt8(clamping: question.level))
    let prefixes = question.prefixes.prefix(Limits.digestPrefixes)
    varint(prefixes.count)
    for prefix in prefixes { varint(prefix) }
  }

  mutating func payload(_ answer: DigestAnswer) {
    payload(answer.current)
    switch answer.found {
    case .nothing(let reason):
      byte(FoundKind.nothing.rawValue)
      text(reason)
    case .parts(let parts):
      byte(FoundKind.parts.rawValue)
      let parts = parts.prefix(16 * Limits.digestPrefixes)
      varint(parts.count)
      for part in parts {
        varint(part.count)
        digest(part.digest)
      }
    case .objects(let objects):
      byte(FoundKind.objects.rawValue)
      let objects = objects.prefix(Limits.digestObjects)
      varint(objects.count)
      for object in objects { payload(object) }
    }
  }

  private mutating func payload(_ object: DigestedObject) {
    digest(object.identity)
    text(object.className)
    text(object.key)
    varint(UInt64(object.generation.rawValue))
    digest(object.digest)
  }

  private mutating func digest(_ digest: StateDigest) {
    fixed(digest.high)
    fixed(digest.low)
  }
}

extension PayloadReader {
  mutating func frontierDigest() throws(WireError) -> FrontierDigest {
    FrontierDigest(frontier: try hash(), digest: try digest())
  }

  mutating func question() throws(WireError) -> DigestQuestion {
    let storeID = StoreID(high: try fixed(UInt64.self), low: try fixed(UInt64.self))
    let wanted = try byte()
    let level = Int(try byte())
    guard wanted <= 1, level <= Limits.digestLevels else {
      throw problem("a question of sort \(wanted) about \(level) digits")
    }
    var prefixes: [UInt64] = []
    for _ in 0..<(try count("prefixes", atMost: Limits.digestPrefixes)) {
      let prefix = try varint()
      guard prefix >> UInt64(4 * level) == 0, prefixes.last.map({ $0 < prefix }) ?? true else {
        throw problem("the prefix \(prefix) of \(level) digits is out of order or too great")
      }
      prefixes.append(prefix)
    }
    return DigestQuestion(
      storeID: storeID, level: level, prefixes: prefixes, wantsObjects: wanted == 1)
  }

  mutating func answer() throws(WireError) -> DigestAnswer {
    let current = try frontierDigest()
    let kind = try byte()
    switch FoundKind(rawValue: kind) {
    case .nothing: return DigestAnswer(current: current, found: .nothing(reason: try text()))
    case .parts:
      var parts: [DigestAnswer.Part] = []
      for _ in 0..<(try count("parts", atMost: 16 * Limits.digestPrefixes)) {
        parts.append(DigestAnswer.Part(count: try varint(), digest: try digest()))
      }
      return DigestAnswer(current: current, found: .parts(parts))
    case .objects:
      var objects: [DigestedObject] = []
      for _ in 0..<(try count("objects", atMost: Limits.digestObjects)) {
        objects.append(try object())
      }
      return DigestAnswer(current: current, found: .objects(objects))
    case nil: throw problem("an answer of sort \(kind)")
    }
  }

  private mutating func object() throws(WireError) -> DigestedObject {
    DigestedObject(
      identity: try digest(), className: try text(), key: try text(), generation: try generation(),
      digest: try digest())
  }

  private mutating func generation() throws(WireError) -> Generation {
    guard let generation = UInt32(exactly: try varint()) else {
      throw problem("a generation over 32 bits")
    }
    return Generation(generation)
  }

  private mutating func digest() throws(WireError) -> StateDigest {
    StateDigest(high: try fixed(UInt64.self), low: try fixed(UInt64.self))
  }
}
