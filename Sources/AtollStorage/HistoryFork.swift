package import AtollChanges
import AtollLog
package import AtollVocabulary

/// Where the history of an author divides, because its disk was put back as it had been.
package struct HistoryFork: Hashable, Sendable {
  /// Who wrote what comes before, which is itself one of several histories if it has a branch.
  package let author: Author
  /// The first changesets that differ: of one number, two or more, ascending by their histories' names.
  package let firsts: [ChangesetID]

  package init(author: Author, firsts: [ChangesetID]) {
    self.author = author
    self.firsts = firsts
  }
}

extension StoreFile {
  /// All forks this file knows of, ascending by author; none is ever forgotten.
  package func forks() throws(StorageError) -> [HistoryFork] {
    try doing("reading the forks") {
      try refreshBeforeReading()
      return try authors.sorted.compactMap { record in
        let firsts = try record.children.compactMap { authors[$0] }.compactMap { child in
          try log.entry(child, child.first).map {
            ChangesetID(author: child.author, sequence: child.first, hash: $0.hash)
          }
        }
        return firsts.isEmpty ? nil : HistoryFork(author: record.author, firsts: firsts)
      }
    }
  }
}
