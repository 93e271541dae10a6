import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

/// The known holdings of a member, under the names by which this file calls authors.
package struct KnownHoldings: Hashable, Sendable {
  package var member: Member
  /// On its disk.
  package var stored: VersionVector
  /// `applied <= stored`, author by author.
  package var applied: VersionVector
  /// Changesets that it said it holds and that are not here.
  package var ahead: UInt64 = 0
  /// The time of the last news of it, from itself or through others; nil if there never was any.
  package var heard: WallTime?

  package init(
    member: Member, stored: VersionVector, applied: VersionVector, ahead: UInt64 = 0,
    heard: WallTime? = nil
  ) {
    self.member = member
    self.stored = stored
    self.applied = applied
    self.ahead = ahead
    self.heard = heard
  }
}

// Never more than is true: what a replica said counts as far as this file has the same changesets, by
// their hashes, and for a replica that started another incarnation only what it has in that.
extension StoreFile {
  /// Returns the known holdings of every member, retired ones too, ascending by replica.
  ///
  /// - Parameter areFollowed: Whether of each replica only that counts which it said when it had applied
  ///   nothing that is not applied here by now: of the rest it may have been told that something does not count.
  /// - Returns: This replica too.
  /// - Throws: If the file cannot be read.
  package func knownHoldings(
    areFollowed: Bool = false
  ) throws(StorageError) -> [KnownHoldings] {
    let members = try members()
    let known = areFollowed ? try followedProgress() : try peerProgress()
    let own = try holdings()
    return try doing("looking at what others have") {
      try snapshot {
        try members.map { member in
          let said = known.filter { $0.progress.peer.replica == member.replica }
          guard member.replica == author.replica else { return try holdings(of: member, said) }
          return try heldByCopies(member, own, said)
        }
      }
    }
  }

  /// The changesets here, and in every copy of this file that starts another incarnation.
  private func heldByCopies(
    _ member: Member, _ own: Holdings, _ known: [(progress: PeerProgress, time: WallTime)]
  ) throws -> KnownHoldings {
    var result = KnownHoldings(
      member: member, stored: own.stored, applied: own.applied, heard: options.wallClock())
    for (progress, _) in known
    where progress.peer.incarnation != author.incarnation
      && !member.hasEnded(progress.peer.incarnation)
    {
      let (stored, applied) = try checked(progress.holdings)
      result.stored = result.stored.common(with: stored)
      result.applied = result.applied.common(with: applied)
    }
    return result
  }

  /// The changesets that a member has in all its incarnations that are not over, as far as is known.
  private func holdings(
    of member: Member, _ known: [(progress: PeerProgress, time: WallTime)]
  ) throws -> KnownHoldings {
    var result = KnownHoldings(
      member: member, stored: VersionVector(), applied: VersionVector(),
      heard: known.map(\.time).max())
    let writers = authors.records.filter { $0.author.replica == member.replica && $0.hasApplied }
    let incarnations = Set(
      writers.map(\.author.incarnation) + known.map(\.progress.peer.incarnation)
    )
    .filter { !member.hasEnded($0) }
    for (place, incarnation) in incarnations.sorted().enumerated() {
      var (stored, applied) = (VersionVector(), VersionVector())
      for said in known where said.progress.peer.incarnation == incarnation {
        (stored, applied) = try checked(said.progress.holdings)
        result.ahead = result.ahead.addingSaturated(ahead(said.progress.holdings))
      }
      result.stored = place == 0 ? stored : result.stored.common(with: stored)
      result.applied = place == 0 ? applied : result.applied.common(with: applied)
    }
    return result
  }

  /// The number of changesets that are said to be stored and are not here.
  private func ahead(_ holdings: Holdings) -> UInt64 {
    holdings.heads.reduce(0) { sum, head in
      let known = authors.branches(of: head.author).map(\.storedHead.sequence.rawValue).max() ?? 0
      guard head.sequence.rawValue > known else { return sum }
      return sum.addingSaturated(head.sequence.rawValue - known)
    }
  }

  /// Returns the part of some holdings that is here too, with the same hashes.
  private func checked(
    _ holdings: Holdings
  ) throws -> (stored: VersionVector, applied: VersionVector) {
    var (stored, applied) = (VersionVector(), VersionVector())
    for head in holdings.heads {
      guard let record = try log.branch(with: head) else { continue }
      for (number, range) in log.parts(of: record.number, .first...head.sequence) {
        guard let author = authors[number]?.author else { continue }
        stored[author] = max(stored[author], range.upperBound)
        let through = min(range.upperBound, holdings.applied[head.author])
        if through >= range.lowerBound { applied[author] = max(applied[author], through) }
      }
    }
    return (stored, applied)
  }

  /// Tells whether all that a replica had applied is applied here; it has written upon nothing else.
  func isFollowed(_ holdings: Holdings) throws -> Bool {
    try holdings.heads.allSatisfy { head in
      let through = min(head.sequence, holdings.applied[head.author])
      guard through > .none else { return true }
      if let record = try log.branch(with: head) {
        return record.sequence >= through || through < record.first
      }
      // Changesets that it only stored may not have come here.
      let known = authors.branches(of: head.author)
      return through < head.sequence && known.count == 1 && known[0].sequence >= through
    }
  }
}

extension VersionVector {
  /// Returns the changesets that both have.
  func common(with other: VersionVector) -> VersionVector {
    var common = VersionVector()
    for entry in entries where other[entry.author] > .none {
      common[entry.author] = min(entry.sequence, other[entry.author])
    }
    return common
  }
}
