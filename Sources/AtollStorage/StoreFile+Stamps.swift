import AtollLog
import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// Returns the time and author of a property's last assignment; nil if it is still at its
  /// default.
  ///
  /// Of a list it is the last insertion, of a set or map the last time anything of it was written.
  package func stamp(
    of classID: ClassID, id: RowID, _ field: FieldPath
  ) throws(StorageError) -> (time: HybridTime, author: Author)? {
    try doing("reading when \(field.property.name) was assigned") {
      guard let stamp = try lastStamp(classID, id, field) else { return nil }
      guard let author = try authors[stamp.author] ?? lateAuthor(stamp.author) else {
        throw StorageError.damaged(path: path, detail: "a stamp names author \(stamp.author)")
      }
      return (HybridTime(rawValue: stamp.time), author.author)
    }
  }

  private func lastStamp(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath
  ) throws -> LocalStamp? {
    if let container = try container(classID, id, field) { return try lastStamp(in: container) }
    guard let cell = try cell(classID, id, field),
      let order = cell.row.state.order(of: cell.node), order.isAssigned
    else { return nil }
    return order.stamp
  }

  /// The latest time among what a collection holds or remembers; of two that share it, either.
  private func lastStamp(in container: Container) throws -> LocalStamp? {
    let table = container.table
    let statement = try table.statement(
      "SELECT max(_time), _mark FROM \(table.sql) WHERE _owner = ?")
    statement.bind(container.owner, at: 1)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return LocalStamp(time: statement.uint64(at: 0), mark: statement.uint64(at: 1))
  }

  /// A cell and its row; nil if the way there leads through something that is gone.
  private func cell(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath
  ) throws -> (row: LoadedRow, node: FieldNode)? {
    guard var row = try tables.load(try objects(classID), id.rawValue) else { return nil }
    var level: FieldNode?
    for step in field.steps {
      switch step {
      case .slot(let property): level = row.table.child(property, of: level)
      case .element(let property, let id):
        guard let inner = row.table.child(property, of: level)?.elements,
          let element = try tables.load(inner, id.rawValue)
        else { return nil }
        (row, level) = (element, inner.value)
      }
      if level == nil { return nil }
    }
    return row.table.child(field.property, of: level).map { (row, $0) }
  }
}
