package import AtollVocabulary

extension Changeset {
  /// The canonical bytes, the same in every process; the author is not among them.
  package func encoded() -> [UInt8] {
    var encoder = ChangesetEncoder(author: author, sequence: sequence, time: time)
    for operation in operations { encoder.append(operation) }
    return encoder.finish(
      dependencies: dependencies, declarations: declarations, isContinued: isContinued)
  }

  /// Reads canonical bytes, whole.
  ///
  /// - Parameters:
  ///   - bytes: What ``encoded()`` gave, here or in another process.
  ///   - author: Who wrote it.
  /// - Throws: ``ChangesetError`` for anything that ``encoded()`` does not give.
  package init(decoding bytes: [UInt8], author: Author) throws(ChangesetError) {
    var reader = try ChangesetReader(bytes, author: author)
    var operations: [Operation] = []
    operations.reserveCapacity(reader.operationCount)
    while let operation = try reader.next() { operations.append(operation) }
    self.init(
      author: reader.author, sequence: reader.sequence, time: reader.time,
      isContinued: reader.isContinued, dependencies: reader.dependencies,
      declarations: reader.declarations, operations: operations)
  }
}
