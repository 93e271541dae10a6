import AtollChanges
import AtollStorage
import AtollVocabulary

/// Listens at a file's one door, as an application's observers do.
final class CommitObserver {
  private(set) var last = CommitNumber(0)
  /// The changesets that commits named, and those from before.
  private(set) var seen = VersionVector()
  private(set) var problems: [String] = []
  /// Commits that are not told of, for a test that sees that found.
  var ignored: CommitNumber?

  /// Begins with a file as it is.
  func start(at number: CommitNumber, _ vector: VersionVector) {
    last = number
    seen = vector
    problems = []
  }

  /// The commit that finds a fork names all histories of the author.
  private func forget(_ heads: [ChangesetID]) {
    let forked = Set(
      heads.map(\.author).filter { $0.branch != .none && seen[$0] == .none }.map(\.commonHistory))
    guard !forked.isEmpty else { return }
    seen = VersionVector(seen.entries.filter { !forked.contains($0.author.commonHistory) })
  }

  func record(_ commit: Commit) {
    if ignored == commit.number { return }
    if commit.number.rawValue != last.rawValue + 1 {
      problems.append("commit \(commit.number.rawValue) came after \(last.rawValue)")
    }
    last = commit.number
    forget(commit.heads)
    for head in commit.heads {
      // A commit that applies what was deferred names the same changeset once more.
      if head.sequence < seen[head.author] {
        problems.append(
          "commit \(commit.number.rawValue) brings changeset \(head.sequence) of "
            + "\(head.author.shortDescription) again")
      }
      seen[head.author] = head.sequence
    }
  }
}
