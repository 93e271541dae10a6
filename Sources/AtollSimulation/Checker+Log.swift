import AtollChanges
import AtollVocabulary

extension Checker {
  /// A log has all that its file wrote, and at the end all that it holds, but for what was cut off.
  ///
  /// - Parameters:
  ///   - node: The file's.
  ///   - log: What is in it, in any order.
  ///   - truncationPoint: The last changesets that were cut off.
  ///   - written: The file's own changesets, under whatever name it wrote them.
  ///   - stored: What has to be there as well.
  /// - Returns: The first changeset that is not there, of each author.
  static func history(
    _ node: Int, _ log: [ChangesetID], after truncationPoint: VersionVector, written: VersionVector,
    stored: VersionVector
  ) -> [Violation] {
    var known: [Author: Set<SequenceNumber>] = [:]
    for id in log { known[id.author.commonHistory, default: []].insert(id.sequence) }
    let truncationPoint = truncationPoint.commonHistories
    var needed = stored.commonHistories
    needed.formUnion(written.commonHistories)
    return needed.entries.compactMap { entry in
      guard truncationPoint[entry.author] < entry.sequence else { return nil }
      var sequence = truncationPoint[entry.author].next
      while sequence <= entry.sequence, known[entry.author]?.contains(sequence) == true {
        sequence = sequence.next
      }
      guard sequence <= entry.sequence else { return nil }
      return Violation(
        kind: .log,
        text:
          "node \(node) has no changeset \(sequence) of \(entry.author.shortDescription) in its "
          + "log any more, which is cut off up to \(truncationPoint[entry.author])")
    }
  }

  /// A log is dense, chained, in causal order, and readable.
  ///
  /// Of what came with a checkpoint there may be anything, and what it declared is not known.
  static func log(
    _ node: Int, _ entries: [LogEntry], after checkpoint: Holdings = .none
  ) -> [Violation] {
    var reader = LogReader(after: checkpoint)
    for entry in entries where checkpoint.sequence(of: entry.id.author) < entry.id.sequence {
      if let problem = reader.problem(with: entry) {
        let name = "changeset \(entry.id.sequence) of \(entry.id.author.shortDescription)"
        return [Violation(kind: .log, text: "node \(node), \(name): \(problem)")]
      }
    }
    return []
  }
}

/// Follows a log from its start, and says what is wrong with the first entry that is.
private struct LogReader {
  /// Of the last entry; what was kept of the log below a snapshot has numbers below 0.
  private var position: LogPosition?
  private var heads: Holdings
  private let checkpoint: Holdings
  /// Looked up and never listed.
  private var tables: [Author: DeclarationTable] = [:]

  init(after checkpoint: Holdings) {
    self.checkpoint = checkpoint
    heads = checkpoint
  }

  mutating func problem(with entry: LogEntry) -> String? {
    let author = entry.id.author
    if let position, entry.position <= position {
      return "its position is not behind the last one's"
    }
    position = entry.position
    let head = heads.head(of: author) ?? parent(of: entry)
    let expected = (head?.sequence ?? .none).next
    guard entry.id.sequence == expected else { return "expected \(expected) here" }
    let hash = (head?.hash ?? .origin(of: author)).following(entry.bytes)
    guard hash == entry.id.hash else { return "its bytes do not give its hash" }
    var table = head.flatMap { tables[$0.author] } ?? DeclarationTable(author: author)
    do {
      let changeset = try Changeset(decoding: entry.bytes, author: author)
      guard changeset.sequence == entry.id.sequence else { return "its bytes have another number" }
      // A branch goes on with what the common history has declared, which came with the checkpoint.
      guard !checkpoint.heads.contains(where: { $0.author.commonHistory == author.commonHistory })
      else {
        heads.adopt(entry.id)
        return nil
      }
      try table.adopt(changeset.declarations)
      for dependency in changeset.dependencies {
        if let problem = problem(with: dependency, table) { return problem }
      }
    } catch {
      return "\(error)"
    }
    tables[author] = table
    heads.adopt(entry.id)
    return nil
  }

  /// Returns the changeset that the first one of a history continues.
  private func parent(of entry: LogEntry) -> ChangesetID? {
    guard entry.id.author.branch != .none else { return nil }
    return heads.heads.first {
      $0.author.commonHistory == entry.id.author.commonHistory
        && $0.sequence.next == entry.id.sequence
        && $0.hash.following(entry.bytes) == entry.id.hash
    }
  }

  private func problem(with dependency: Dependency, _ table: DeclarationTable) -> String? {
    guard let author = table[dependency.author] else { return "it depends on an unknown author" }
    let known = heads.heads.lazy.filter { $0.author.commonHistory == author.commonHistory }
      .map(\.sequence).max()
    guard known ?? .none >= dependency.sequence else {
      return "it stands before changeset \(dependency.sequence) of \(author.shortDescription), "
        + "which it depends on"
    }
    return nil
  }
}
