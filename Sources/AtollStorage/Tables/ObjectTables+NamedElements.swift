import AtollChanges
import AtollSQLite
import AtollVocabulary

// Set members and map entries as operations change them. Each is a register by the name that it has:
// the later of two writes holds, be it a removal, which is remembered while the object lives.
extension ObjectTables {
  /// Gives a member or an entry what it is or holds from now on, if that is later than what is known.
  ///
  /// The row keeps its number, and is otherwise made anew with this write's stamp for all of it.
  func mergeRegister(
    _ place: Place, _ container: Container, _ name: RegisterName, _ value: FieldValue?,
    isRemoval: Bool, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard let node = container.table.value else { return }
    let known = try known(name, in: container)
    let holder = try digestOfContainer(at: place)
    var before = StateDigest.zero
    if let known {
      let held = KeyedRegister(known.isRemoved ? nil : Written.before, try self.stamp(known.stamp))
      let new = KeyedRegister(isRemoval ? nil : Written.now, try self.stamp(stamp))
      let isLate = held.merged(with: new) != new
      try recordNamedElement(
        container, known, value, isRemoval: isRemoval, stamp, isLate: isLate, source)
      guard !isLate else { return }
      before = try digestOfElement(container.table, known.id, in: holder)
      if let row = try load(container.table, known.id) { try deleteContents(of: row) }
      transaction?.loadedRow = nil
    }
    if let value { try expandIfDeep(node, value, source) }
    let statement = try node.table.insert()
    statement.clear()
    let digest = try bind(
      value, at: node, stamp, source, to: statement, isReplaceable: true)
    if let known { statement.bind(known.id, at: 1) }
    statement.bind(container.owner, at: 2)
    if isRemoval { statement.bind(Int64(1), at: 9) }
    name.bind(to: statement, at: container.table.kind == .nested ? 11 : 10)
    try statement.run()
    transaction?.madeID = known?.id ?? connection.lastInsertedRow
    let head = try headDigest(
      of: try elementDigest(stamp), sequence: source.sequence, name.digestPlace,
      isRemoved: isRemoval, in: holder)
    redigest(place.entry, minus: before, plus: digest + head)
    recordChange(place, changed: container)
  }

  /// The write that a register holds, of two.
  private enum Written {
    case before
    case now
  }

  private func stamp(_ stamp: LocalStamp) throws -> Stamp {
    try order(CellStamp(isAssigned: true, stamp: stamp)).stamp
  }

  /// Returns the name of a set's member.
  func memberIdentity(_ value: FieldValue, _ source: MergeSource) throws -> [UInt8] {
    switch value {
    case .scalar(let scalar): MemberIdentity.bytes(scalar)
    case .link(let target):
      MemberIdentity.bytes(
        try classID(target.class, of: source.author), row: try targetID(target, source))
    case .embedded, .collection:
      throw MalformedChangeset(detail: "a set cannot hold \(value)")
    }
  }
}
