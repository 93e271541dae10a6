package import AtollVocabulary

/// One write transaction of one author: what it depended on, what it declared, what it did.
///
/// A large transaction is several changesets, of which the first alone has dependencies, and all but
/// the last are *continued*: nobody applies some of them without the others.
///
/// Inside, classes, properties and foreign authors are small numbers that the author declared, here
/// or in an earlier changeset of its own; ``DeclarationTable`` gives them meaning.
package struct Changeset: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  package var time: HybridTime
  /// True if the transaction goes on in the author's next changeset.
  package var isContinued: Bool
  /// Changesets of other authors applied since the author's previous one, ascending by number;
  /// the first changeset of an author names its whole version vector.
  package var dependencies: [Dependency]
  package var declarations: [Declaration]
  package var operations: [Operation]

  package init(
    author: Author, sequence: SequenceNumber, time: HybridTime, isContinued: Bool = false,
    dependencies: [Dependency] = [],
    declarations: [Declaration] = [], operations: [Operation]
  ) {
    self.author = author
    self.sequence = sequence
    self.time = time
    self.isContinued = isContinued
    self.dependencies = dependencies
    self.declarations = declarations
    self.operations = operations
  }

  /// A changeset of data operations alone, as applications write them.
  package init(
    author: Author, sequence: SequenceNumber, time: HybridTime, isContinued: Bool = false,
    dependencies: [Dependency] = [],
    declarations: [Declaration] = [], data operations: [DataOperation]
  ) {
    self.init(
      author: author, sequence: sequence, time: time, isContinued: isContinued,
      dependencies: dependencies, declarations: declarations,
      operations: operations.map(Operation.data))
  }
}

/// A changeset that must be applied before the one that names it.
package struct Dependency: Hashable, Sendable {
  package var author: AuthorNumber
  package var sequence: SequenceNumber
  package var hash: ChainHash

  package init(author: AuthorNumber, sequence: SequenceNumber, hash: ChainHash) {
    self.author = author
    self.sequence = sequence
    self.hash = hash
  }
}

/// The name of one changeset: whose, which, and with what history.
package struct ChangesetID: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  package var hash: ChainHash

  package init(author: Author, sequence: SequenceNumber, hash: ChainHash) {
    self.author = author
    self.sequence = sequence
    self.hash = hash
  }
}
