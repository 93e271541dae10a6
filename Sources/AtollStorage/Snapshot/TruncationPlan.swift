import AtollLog
import AtollSQLite
package import AtollVocabulary

/// The frontier up to which no member needs the log any more, and the members that need the rest.
package struct TruncationPlan: Hashable, Sendable {
  /// The changesets that every member has applied, and that are old enough; none as long as no
  /// other replica was met.
  package var frontier: VersionVector
  /// Log bytes, in all and up to the frontier.
  package var bytes: Int
  package var removable: Int
  /// Bytes that every member has applied, and that are kept because they are young.
  package var young: Int
  /// Deleted objects, whose keys and numbers stay when the log goes, and about how many bytes these are.
  package var deletions: Int
  package var deletionBytes: Int
  /// Members that are waited for, ascending by replica.
  package var holders: [Holder]

  /// A member, and what is kept for it.
  package struct Holder: Hashable, Sendable {
    package var known: KnownHoldings
    /// Bytes that it has not applied, as far as it said, and every other member has.
    package var alone: Int
  }
}

extension StoreFile {
  /// Looks at what truncating the log would remove, and what keeps the rest.
  ///
  /// - Parameter age: How old what is removed has to be.
  /// - Returns: What would go, and for whom the rest is kept.
  /// - Throws: ``StorageError`` if the file cannot be read.
  package func truncationPlan(olderThan age: Duration) throws(StorageError) -> TruncationPlan {
    let members = try knownHoldings(areFollowed: true)
    let known = members.filter { !$0.member.isRetired }
    return try doing("looking at what the log is kept for") {
      try snapshot {
        // Two files that cut their logs before they met could never be brought together.
        let hasMet = members.contains { $0.member.replica != author.replica }
        let common = hasMet ? Self.common(known) : VersionVector()
        let frontier = try aged(common, age)
        let holders = try known.map { holder in
          let others = Self.common(known.filter { $0.member.replica != holder.member.replica })
          let alone = known.count > 1 ? try log.bytes(through: others) : 0
          return TruncationPlan.Holder(
            known: holder, alone: max(0, alone - (try log.bytes(through: common))))
        }
        let removable = try log.bytes(through: frontier)
        return TruncationPlan(
          frontier: frontier, bytes: try log.size().bytes, removable: removable,
          young: try log.bytes(through: common) - removable,
          deletions: Int(try connection.integer("SELECT count(*) FROM atoll_dead") ?? 0),
          deletionBytes: Int(try connection.integer(Self.sizeOfDeletions) ?? 0),
          holders: holders)
      }
    }
  }

  /// There are some 10 bytes beside the key.
  private static let sizeOfDeletions =
    "SELECT sum(length(CAST(key AS BLOB)) + 10) FROM atoll_dead"

  private static func common(_ known: [KnownHoldings]) -> VersionVector {
    guard var common = known.first?.applied else { return VersionVector() }
    for other in known.dropFirst() { common = common.common(with: other.applied) }
    return common
  }

  /// Of each author what is that old: with every changeset all that it was written upon.
  private func aged(_ vector: VersionVector, _ age: Duration) throws -> VersionVector {
    let latest = options.wallClock().milliseconds - Int64(age / .milliseconds(1))
    guard latest > 0 else { return VersionVector() }
    var aged = VersionVector()
    for record in authors.records {
      let through = min(vector[record.author], record.sequence)
      // The changesets that are cut off were old enough already, and may be all that there are.
      if let truncationPoint = record.truncationPoint?.sequence {
        aged[record.author] = min(truncationPoint, through)
      }
      var (low, high) = (try log.oldest(of: record).rawValue, through.rawValue)
      // The last one that is old enough; times ascend with the numbers.
      while low <= high, low > 0 {
        let middle = low + (high - low) / 2
        if try log.time(of: record, SequenceNumber(middle))
          <= HybridTime(milliseconds: UInt64(latest), counter: .max).rawValue
        {
          aged[record.author] = SequenceNumber(middle)
          low = middle + 1
        } else {
          high = middle - 1
        }
      }
    }
    return withoutHalves(aged)
  }

  /// Keeps superseded changesets with the one that supersedes them, or removes who wrote them: by themselves they
  /// would count.
  private func withoutHalves(_ vector: VersionVector) -> VersionVector {
    var whole = vector
    var former: VersionVector
    repeat {
      former = whole
      for record in authors.records {
        let causes =
          record.supersedings.map { ($0.range.lowerBound.previous, $0.cause) }
          + (record.removal.map { [($0.last, $0.cause)] } ?? [])
        for (last, cause) in causes {
          guard let writer = authors[cause.writer], whole[writer.author] < cause.sequence else {
            continue
          }
          whole[record.author] = min(whole[record.author], last)
        }
      }
    } while whole != former
    return whole
  }
}
