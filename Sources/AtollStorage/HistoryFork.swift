package import AtollChanges
import AtollLog
package import AtollVocabulary

/// The place where the history of an author forks, because its disk was rolled back.
package struct HistoryFork: Hashable, Sendable {
  /// The author of the changesets before it, itself one of several histories if it has a branch.
  package let author: Author
  /// The first changesets that differ: of one number, two or more, ascending by their histories' names.
  package let firsts: [ChangesetID]

  package init(author: Author, firsts: [ChangesetID]) {
    self.author = author
    self.firsts = firsts
  }
}
