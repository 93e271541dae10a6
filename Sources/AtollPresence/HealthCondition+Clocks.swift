package import AtollVocabulary

/// The changesets of one author that are stamped ahead of the clock here.
package struct DeferredByClock: Hashable, Sendable {
  package let author: Author
  package let count: Int
  /// Whole seconds, so that it does not change with every look.
  package let ahead: Duration

  /// Nil if they are not ahead.
  package init?(_ author: Author, count: Int, ahead: Duration) {
    guard ahead > .zero else { return nil }
    self.author = author
    self.count = count
    self.ahead = .seconds(ahead.components.seconds)
  }
}

extension HealthCondition {
  /// The conditions that clocks bring about, here and at others.
  ///
  /// - Parameters:
  ///   - timeAhead: By how much a replica's own time is ahead of what others accept; nil if it is not.
  ///   - deferred: By author.
  /// - Returns: None, one or both of `own-clock-ahead` and `deferred-by-clock`.
  package static func ofClocks(
    timeAhead: Duration?, deferred: [DeferredByClock]
  ) -> [HealthCondition] {
    var found: [HealthCondition] = []
    if let timeAhead {
      found.append(
        HealthCondition(
          .ownClockAhead,
          "this replica's own time is \(timeAhead) too far ahead of its clock: others store what it "
            + "writes and do not apply it"))
    }
    if let first = deferred.first {
      let count = deferred.reduce(0) { $0 + $1.count }
      let others = deferred.count > 1 ? " and \(deferred.count - 1) more authors" : ""
      found.append(
        HealthCondition(
          .deferredByClock,
          "\(count) changesets of \(first.author.shortDescription)\(others) are stamped up to "
            + "\(deferred.map(\.ahead).max() ?? .zero) ahead of this clock, and are not applied before"
        ))
    }
    return found
  }
}
