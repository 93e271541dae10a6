import AtollChanges
import AtollStorage
import AtollVocabulary

/// The changes of the commits since a former look.
package struct CommitNews: Codable, Hashable, Sendable {
  /// The number of changed objects of a class, and the keys of some.
  package struct Change: Codable, Hashable, Sendable {
    package let `class`: String
    package let inserted: Int
    package let deleted: Int
    package let modified: Int
    /// The keys of objects that are there and changed, at most 100, as people write them.
    package let keys: [String]
    /// Too many objects changed to be counted.
    package let isWhole: Bool
  }

  /// The number of the last commit.
  package let commit: Int64
  /// True if nobody can tell any more what changed.
  package let isUnknown: Bool
  /// Ascending by class.
  package let changes: [Change]
  /// The authors whose changesets came with the commits.
  package let authors: [AuthorName]
}

extension Inspection {
  /// The news since a commit.
  ///
  /// - Parameter commit: The number of the last one known; nil for none, which makes no changes.
  /// - Returns: The changes of all commits since, class by class, on one snapshot.
  /// - Throws: `StorageError` if the file cannot be read.
  package func news(after commit: Int64?) throws -> CommitNews {
    try atOneMoment {
      let number = try file.commitNumber()
      guard let commit, commit != number.rawValue else {
        return CommitNews(commit: number.rawValue, isUnknown: false, changes: [], authors: [])
      }
      guard let commits = try file.effects(after: CommitNumber(commit)) else {
        return CommitNews(commit: number.rawValue, isUnknown: true, changes: [], authors: [])
      }
      let names = try file.replicaNames()
      let authors = Set(commits.flatMap { $0.heads.map(\.author) }).sorted()
      return CommitNews(
        commit: number.rawValue, isUnknown: false, changes: try changes(of: commits),
        authors: authors.map { AuthorName($0, names) })
    }
  }

  private func changes(of commits: [Commit]) throws -> [CommitNews.Change] {
    let ofClasses = Dictionary(grouping: commits.flatMap(\.changes), by: \.classID)
    return try ofClasses.sorted { $0.key < $1.key }.map { id, changes in
      let inserted = Set(changes.flatMap(\.inserted))
      let deleted = Set(changes.flatMap(\.deleted))
      let modified = Set(changes.flatMap { $0.modified.map(\.id) }).subtracting(inserted)
      let alive = inserted.union(modified).subtracting(deleted).sorted().prefix(Self.keysTold)
      return CommitNews.Change(
        class: try file.storedClass(id).name, inserted: inserted.count, deleted: deleted.count,
        modified: modified.count,
        keys: try alive.compactMap {
          try file.row(of: id, id: $0).map { ObjectCell(.value($0.key)).text }
        },
        isWhole: changes.contains { $0.isWhole })
    }
  }

  /// Keys that are told of one class.
  private static let keysTold = 100
}
