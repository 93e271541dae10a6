import AtollChanges
import AtollVocabulary
import Testing

/// Control operations, by which one author decides about another's changesets.
@Suite struct `releasing and superseding` {
  private static let author = Samples.author
  private static let sibling = Author(
    replica: author.replica, incarnation: Incarnation(author.incarnation.rawValue + 1))
  private static let other = Author(
    replica: ReplicaID(high: 5, low: 5), incarnation: Incarnation(1))

  private func refusal(_ operation: ControlOperation) throws -> ChangesetError.Kind? {
    var table = DeclarationTable(author: Self.author)
    try table.adopt([.author(Self.sibling), .author(Self.other)])
    do {
      try table.validate(
        .control(operation), index: 0, sequence: .first, time: HybridTime(milliseconds: 1))
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `another author can be released, oneself and the undeclared cannot`() throws {
    #expect(try refusal(.release(AuthorNumber(1), through: .first)) == nil)
    #expect(try refusal(.release(AuthorNumber(2), through: .first)) == nil)
    #expect(try refusal(.release(.ownself, through: .first)) == .mismatched)
    #expect(try refusal(.release(AuthorNumber(3), through: .first)) == .undeclared)
  }

  @Test func `only another incarnation of the writer's replica can be superseded`() throws {
    #expect(try refusal(.supersede(AuthorNumber(1), from: .first, through: .first)) == nil)
    for number in [AuthorNumber.ownself, AuthorNumber(2)] {
      #expect(
        try refusal(.supersede(number, from: .first, through: .first)) == .mismatched)
    }
    #expect(
      try refusal(.supersede(AuthorNumber(3), from: .first, through: .first)) == .undeclared)
  }

  @Test func `they take four and five bytes, and leave the object before them as it was`() throws {
    let one = DataOperation.assign(Samples.path(Samples.elevation), .scalar(.int(5)))
    let size = Samples.changeset([one, one]).encoded().count
    let release = ControlOperation.release(AuthorNumber(1), through: .first)
    let supersede = ControlOperation.supersede(AuthorNumber(1), from: .first, through: .first)
    var changeset = Samples.changeset([one, one])
    changeset.operations.insert(contentsOf: [.control(release), .control(supersede)], at: 1)
    #expect(changeset.encoded().count == size + 9)
    let decoded = try Changeset(decoding: changeset.encoded(), author: changeset.author)
    #expect(decoded == changeset)
  }

  @Test func `what is reissued does the same under the new incarnation`() throws {
    let n = Samples.path(Samples.elevation)
    let old = Samples.changeset([.assign(n, .scalar(.int(5)))], sequence: 7)
    var table = DeclarationTable(author: old.author)
    try table.adopt(Samples.declarations)
    var reissue = try Reissue(
      of: table, from: SequenceNumber(7), as: Self.sibling, from: SequenceNumber(2),
      declared: [old.author])
    let time = HybridTime(milliseconds: 50)
    let new = try reissue.changeset(old, at: time)
    #expect(new.author == Self.sibling)
    #expect(new.sequence == SequenceNumber(2))
    #expect(new.time == time)
    guard case .data(.assign(let path, .scalar(.int(5))))? = new.operations.first else {
      Issue.record("\(new.lines)")
      return
    }
    #expect(path.object.key == n.object.key)
    #expect(new.declarations.count == 2)
  }
}
