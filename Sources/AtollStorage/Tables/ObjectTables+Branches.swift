import AtollChanges
import AtollLog
import AtollVocabulary

// The branches that changesets refer to. One that was written before its author knew of a fork names the
// forked author; `ChangesetLog+Branches.swift` in AtollLog finds the branch that is meant.
extension ObjectTables {
  /// The number of the branch that a changeset of `source` names by an author and one of its changesets.
  func branch(
    _ number: AuthorNumber, _ sequence: SequenceNumber, of source: AuthorNumbers
  ) throws -> Int64 {
    let local = try authorNumber(number, of: source)
    guard authors.branchCount > 0, let start = authors[local] else { return local }
    return try log.branch(from: start, at: sequence, seenBy: source.record).number
  }

  /// The number of the branch that a changeset of `source` names by an author and a time.
  func branch(
    _ number: AuthorNumber, at time: HybridTime, of source: AuthorNumbers
  ) throws -> Int64 {
    let local = try authorNumber(number, of: source)
    guard authors.branchCount > 0, let start = authors[local] else { return local }
    return try log.branch(from: start, at: time, seenBy: source.record).number
  }

  /// An operation whose hidden keys name the branches in which the objects were made.
  func resolving(_ operation: DataOperation, of source: AuthorNumbers) throws -> DataOperation {
    guard authors.branchCount > 0 else { return operation }
    var hidden = HiddenKeys(log: log, source: source.record)
    return try operation.transformed(by: &hidden)
  }

  private struct HiddenKeys: OperationTransform {
    let log: ChangesetLog
    let source: AuthorRecord

    func object(_ old: ObjectReference) throws -> ObjectReference {
      guard case .identity(var identity) = old.key else { return old }
      let authors = log.authors
      let number = source.declarations.number(of: identity.author)
      let start =
        identity.author == source.author.commonHistory
        ? source : number.flatMap { authors.author($0, declaredBy: source) }
      guard let start = start ?? authors[identity.author] else { return old }
      let found = try log.branch(from: start, at: identity.sequence, seenBy: source)
      identity.author = found.author
      return ObjectReference(class: old.class, key: .identity(identity), generation: old.generation)
    }
  }
}
