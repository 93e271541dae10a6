import AtollChanges
import AtollLog
package import AtollVocabulary

/// The deferred changesets of one author: stored and not applied yet.
package struct DeferredChangesets: Hashable, Sendable {
  package var author: Author
  package var count: Int
  package var byteCount: Int
  /// The time by which the first and the last are ahead of the local clock; negative for those that
  /// only wait for another author's changesets.
  package var firstAhead: Duration
  package var lastAhead: Duration
  /// The last is continued, and the rest of its transaction has still to come.
  package var awaitsRest: Bool
}
