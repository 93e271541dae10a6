import AtollVocabulary

extension OperationReader {
  /// The way from an object to a cell: steps if the first byte says so, and a property.
  mutating func path(
    _ object: ObjectReference, _ first: UInt8
  ) throws(ChangesetError) -> CellPath {
    var path = CellPath(object: object, property: PropertyNumber(0))
    if first & ChangesetFormat.OperationFlag.hasSteps != 0 {
      let start = input.offset
      let count = try input.count(
        "the number of steps", limit: ChangesetFormat.pathSteps, bytesEach: 4)
      guard count > 0 else {
        throw input.notCanonical(
          "the number of steps", at: start, found: "0", expected: "1 or more, or no flag")
      }
      for _ in 0..<count { try readStep(into: &path) }
    }
    path.property = PropertyNumber(try input.varint32("a property"))
    return path
  }

  /// Reads one step of either kind; those into embedded objects come first.
  private mutating func readStep(into path: inout CellPath) throws(ChangesetError) {
    let start = input.offset
    let byte = try input.byte("a step")
    guard let tag = ChangesetFormat.StepTag(rawValue: byte) else {
      throw input.unknownTag("a step", byte, at: start)
    }
    guard tag.isNested || path.nested.isEmpty else {
      throw input.notCanonical(
        "a step", at: start, found: "a step into an embedded object after one into a collection",
        expected: "the steps into embedded objects first")
    }
    let count = tag.isNested ? path.nested.count : path.steps.count
    guard count < Limits.nestingDepth else {
      throw input.overLimit(
        "the number of steps of one kind", UInt64(count + 1), limit: UInt64(Limits.nestingDepth),
        at: start)
    }
    switch tag {
    case .slot:
      path.steps.append(.slot(try stepProperty(), instance: try stamp()))
    case .element:
      path.steps.append(.element(try stepProperty(), try element(), instance: try stamp()))
    case .entry:
      path.steps.append(.entry(try stepProperty(), key: try entryKey(), instance: try stamp()))
    case .nestedSlot: path.nested.append(.slot(instance: try stamp()))
    case .nestedElement: path.nested.append(.element(try element(), instance: try stamp()))
    case .nestedEntry: path.nested.append(.entry(key: try entryKey(), instance: try stamp()))
    }
  }

  private mutating func stepProperty() throws(ChangesetError) -> PropertyNumber {
    PropertyNumber(try input.varint32("the property of a step"))
  }

  mutating func stamp() throws(ChangesetError) -> StampReference {
    let start = input.offset
    let age = try input.varint("the age of a stamp")
    guard age <= time.rawValue else {
      throw ChangesetError(
        .outOfRange, at: .byte(start), "the age of a stamp", found: "\(age)",
        expected: "at most \(time.rawValue), the time of the changeset")
    }
    return StampReference(
      time: HybridTime(rawValue: time.rawValue - age),
      author: AuthorNumber(try input.varint32("the author of a stamp")),
      index: try input.varint32("the index of a stamp"))
  }

  mutating func entryKey() throws(ChangesetError) -> String {
    try input.text("the key of an entry", limit: Limits.keyBytes)
  }
}
