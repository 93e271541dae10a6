package import AtollVocabulary

extension DeclarationTable {
  /// Adopts a changeset's declarations and checks all it says by them.
  ///
  /// An admitted changeset has known numbers only; dependencies on other authors; keys of their class's key
  /// type; properties of the class they are used in; values of their property's type; steps into
  /// embedded objects only; odd generations, even ones for deletes; and references to the past only.
  ///
  /// - Throws: ``ChangesetError`` at the first offence; the table is then as before.
  package mutating func admit(_ changeset: Changeset) throws(ChangesetError) {
    var grown = self
    try grown.adopt(changeset.declarations)
    try grown.validate(changeset.dependencies)
    try grown.validate(changeset)
    self = grown
  }

  /// Checks dependencies, whose authors are already adopted.
  package func validate(_ dependencies: [Dependency]) throws(ChangesetError) {
    for (index, dependency) in dependencies.enumerated() {
      guard dependency.author != .ownself else {
        throw ChangesetError(
          .mismatched, at: .dependency(index), "the author of a dependency",
          found: "the changeset's own", expected: "another; the chain says the rest")
      }
      guard self[dependency.author] != nil else {
        throw undeclared(
          dependency.author.rawValue, of: authors.count, "the author of a dependency",
          at: .dependency(index))
      }
    }
  }

  /// Checks operations, whose declarations are already adopted.
  package func validate(_ changeset: Changeset) throws(ChangesetError) {
    var check = OperationCheck(
      table: self, index: 0, sequence: changeset.sequence, time: changeset.time)
    for index in changeset.operations.indices {
      check.index = UInt32(truncatingIfNeeded: index)
      try check.validate(changeset.operations[index])
    }
  }

  /// Checks one operation, for readers that take them one by one.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - index: Its index in the changeset.
  ///   - sequence: The changeset's number.
  ///   - time: The changeset's time.
  /// - Throws: ``ChangesetError`` at the first offence.
  package func validate(
    _ operation: Operation, index: UInt32, sequence: SequenceNumber, time: HybridTime
  ) throws(ChangesetError) {
    let check = OperationCheck(table: self, index: index, sequence: sequence, time: time)
    try check.validate(operation)
  }

  func declared(
    _ number: ClassNumber, _ subject: @autoclosure () -> String, at place: ChangesetError.Place
  ) throws(ChangesetError) -> ClassDeclaration {
    guard number.rawValue < classes.count else {
      throw undeclared(number.rawValue, of: classes.count, subject(), at: place)
    }
    return classes[Int(number.rawValue)]
  }

  func undeclared(
    _ number: UInt32, of count: Int, _ subject: String, at place: ChangesetError.Place
  ) -> ChangesetError {
    ChangesetError(
      .undeclared, at: place, subject, found: "number \(number)",
      expected: count == 0 ? "a declaration first" : "0 to \(count - 1), as declared so far")
  }
}
