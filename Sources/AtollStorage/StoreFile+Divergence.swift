package import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Answers in the search for the objects by which two replicas differ. Each looks at every object
// once, in one snapshot, and keeps no more than the answer.
extension StoreFile {
  /// The digest of everything kept up, and the moment it is of.
  package func frontierDigest() throws(StorageError) -> FrontierDigest {
    let (heads, digest) = try frontier()
    return FrontierDigest(heads: heads, digest: digest)
  }

  /// Returns the digests of the rows at the places of a question.
  package func answer(_ question: DigestQuestion) throws(StorageError) -> DigestAnswer {
    try doing("looking for differences") {
      try snapshot {
        let current = FrontierDigest(heads: try heads(), digest: try stateDigest())
        guard let places = Places(question) else {
          return DigestAnswer(
            current: current, found: .nothing(reason: "the question has no answer"))
        }
        guard question.storeID == storeID else {
          return DigestAnswer(
            current: current, found: .nothing(reason: "this is store \(storeID)"))
        }
        return DigestAnswer(
          current: current,
          found: question.wantsObjects
            ? .objects(try objects(at: places)) : .parts(try parts(of: places)))
      }
    }
  }

  private func parts(of places: Places) throws -> [DigestAnswer.Part] {
    var parts = Array(repeating: DigestAnswer.Part.empty, count: places.prefixes.count * 16)
    try forEachObject { entry, key, _, digest in
      guard let part = places.part(of: DigestHasher.place(entry, key)) else { return }
      parts[part].add(digest)
    }
    return parts
  }

  private func objects(at places: Places) throws -> [DigestedObject] {
    var objects: [(place: UInt64, object: DigestedObject)] = []
    func cut() {
      objects.sort { ($0.place, $0.object.identity.low) < ($1.place, $1.object.identity.low) }
      objects.removeLast(max(0, objects.count - Limits.digestObjects))
    }
    try forEachObject { entry, key, generation, digest in
      let place = DigestHasher.place(entry, key)
      guard places.part(of: place) != nil else { return }
      objects.append(
        (
          place,
          DigestedObject(
            identity: DigestHasher.object(entry, key, .unknown), className: entry.name,
            key: String("\(key)".prefix(Limits.reasonBytes)), generation: generation, digest: digest
          )
        ))
      if objects.count >= 2 * Limits.digestObjects { cut() }
    }
    cut()
    return objects.map(\.object)
  }

  private func forEachObject(
    _ body: (ClassEntry, PersistedValue, Generation, StateDigest) throws -> Void
  ) throws {
    for entry in catalog.entries where !entry.isEmbedded {
      try tables.forEachDigest(of: entry) { try body(entry, $0, $1, $2) }
    }
  }
}

/// The places that a question asks for.
private struct Places {
  let level: Int
  let prefixes: [UInt64]

  /// Nil for a question out of bounds.
  init?(_ question: DigestQuestion) {
    level = question.level
    prefixes = question.prefixes
    guard (0...Limits.digestLevels).contains(level), prefixes.count <= Limits.digestPrefixes,
      prefixes.allSatisfy({ $0 >> UInt64(4 * level) == 0 }),
      zip(prefixes, prefixes.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
  }

  /// The part that a place is in, sixteen for each prefix; nil if no prefix names it.
  func part(of place: UInt64) -> Int? {
    let prefix = level == 0 ? 0 : place >> UInt64(64 - 4 * level)
    var low = 0
    var high = prefixes.count
    while low < high {
      let middle = (low + high) / 2
      if prefixes[middle] < prefix { low = middle + 1 } else { high = middle }
    }
    guard low < prefixes.count, prefixes[low] == prefix else { return nil }
    return low * 16 + Int(place >> UInt64(60 - 4 * level) & 0xF)
  }
}
