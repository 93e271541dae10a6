import AtollChanges
package import AtollVocabulary

// Lag: the age of the oldest changeset that a member has not acknowledged as applied. Members are replicas,
// linked or not, of which word may come through others; who is one, the file says. Time counts from
// when a changeset was applied here, or from the start of the engine, so that it goes on while nobody
// asks, and ends with the acknowledgement, with an incarnation of the member that is over, and with its retirement.

/// A replica that is waited for.
package struct LaggingMember: Hashable, Sendable {
  package var replica: ReplicaID
  /// Those of its incarnations that are over: what was acknowledged in them says nothing of it.
  package var ended: Set<Incarnation>

  package init(_ replica: ReplicaID, ended: Set<Incarnation> = []) {
    self.replica = replica
    self.ended = ended
  }
}

/// The lag of one member.
package struct MemberLag: Hashable, Sendable {
  package var replica: ReplicaID
  /// Changesets applied here that it has not acknowledged as applied.
  package var changesets: UInt64
  /// The age of the oldest of them; zero if there are none.
  package var age: Duration

  package init(replica: ReplicaID, changesets: UInt64, age: Duration) {
    self.replica = replica
    self.changesets = changesets
    self.age = age
  }
}

/// The record of what was applied here at which time, for as long as some member lacks it.
///
///     marks      at        10 s          12 s          19 s
///                applied   {a: 3}        {a: 3, b: 1}  {a: 4, b: 1}
///
/// A member that has acknowledged {a: 3} lacks something since 12 s. Marks ascend in both. There are at most
/// `Limits.lagMarks`: beyond that neighbours become one where the time between them is less than a
/// sixteenth of their age, so that an age is told too great by no more than that.
struct LagMarks: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    let at: Instant
    var applied: VersionVector
  }

  private(set) var marks: [Mark] = []

  /// Records what is applied by now.
  mutating func record(_ applied: VersionVector, at now: Instant) {
    guard let last = marks.last else { return marks = [Mark(at: now, applied: applied)] }
    guard last.applied != applied else { return }
    if now.duration(since: last.at) < Limits.lagResolution {
      marks[marks.count - 1].applied = applied
    } else {
      marks.append(Mark(at: now, applied: applied))
    }
    if marks.count > Limits.lagMarks { thin(at: now) }
  }

  /// Since when something has been applied here that is not in `acknowledged`; nil if there is nothing.
  func since(lacking acknowledged: VersionVector) -> Instant? {
    marks.first { !acknowledged.includes($0.applied) }?.at
  }

  /// Forgets what nobody lacks, but for the last mark.
  mutating func forget(upTo acknowledged: [VersionVector]) {
    let kept = marks.firstIndex { mark in
      acknowledged.contains { !$0.includes(mark.applied) }
    }
    marks.removeFirst(min(kept ?? marks.count, max(0, marks.count - 1)))
  }

  /// Makes one mark of neighbours that are near each other for their age; if that is not enough, of every two.
  private mutating func thin(at now: Instant) {
    merge { start, end in end.duration(since: start) * 16 <= now.duration(since: end) }
    guard marks.count > Limits.lagMarks * 3 / 4 else { return }
    var isSecond = true
    merge { _, _ in
      isSecond.toggle()
      return !isSecond
    }
  }

  /// Merges a mark into the one before it where `isNear` says so of where that begins and this one ends.
  private mutating func merge(where isNear: (Instant, Instant) -> Bool) {
    var merged: [Mark] = []
    for (index, mark) in marks.enumerated() {
      let end = index + 1 < marks.count ? marks[index + 1].at : nil
      if let last = merged.last, let end, isNear(last.at, end) {
        merged[merged.count - 1].applied = mark.applied
      } else {
        merged.append(mark)
      }
    }
    marks = merged
  }
}

extension Engine {
  /// The lag of each member, in the order in which they were named.
  package func lags(at now: Instant) -> [MemberLag] {
    members.map { member in
      let acknowledged = acknowledged(by: member)
      let count = holdings.applied.count(beyond: acknowledged)
      let since = count == 0 ? nil : lagMarks.since(lacking: acknowledged)
      return MemberLag(
        replica: member.replica, changesets: count,
        age: since.map { now.duration(since: $0) } ?? .zero)
    }
  }

  /// The file names other members from now on: all of them.
  mutating func change(members: [LaggingMember]) {
    self.members = members.filter { $0.replica != configuration.author.replica }
  }

  /// Records that more was applied here.
  mutating func recordForLag(at now: Instant) {
    lagMarks.record(holdings.applied, at: now)
    guard lagMarks.marks.count > Limits.lagMarks / 2 else { return }
    lagMarks.forget(upTo: members.map { acknowledged(by: $0) })
  }

  /// The changesets that a member has applied in all its incarnations that are not over.
  private func acknowledged(by member: LaggingMember) -> VersionVector {
    let incarnations = knowledge.replicas.filter {
      $0.author.replica == member.replica && !member.ended.contains($0.author.incarnation)
    }
    guard let first = incarnations.first else { return VersionVector() }
    return incarnations.dropFirst().reduce(first.progress.holdings.applied) { common, next in
      let applied = next.progress.holdings.applied
      var both = VersionVector()
      for entry in common.entries where applied[entry.author] > .none {
        both[entry.author] = min(entry.sequence, applied[entry.author])
      }
      return both
    }
  }
}
