import AtollQuery
import AtollVocabulary

extension QueryCompiler {
  /// The columns of a row of the queried class: its key, and each of its cells.
  mutating func cells() throws -> String {
    let root = scopes[0]
    var columns = ["\(root.alias).\(root.table.keySQL)"]
    for node in root.table.nodes {
      let path = PropertyPath(node.way.map(\.property))
      switch node.kind {
      case .scalar, .presence:
        columns.append(root.table.columnValue(node, root.alias))
        if node.isAny { columns.append("\(root.alias).\(node.typeSQL)") }
      case .link(let target):
        columns.append(schema.entry(target) == nil ? "NULL" : try keyOfTarget(path))
      case .collection:
        columns.append("(\(try subselect(path, .always) { _ in "count(*)" }))")
      }
    }
    return columns.joined(separator: ", ")
  }
}
