import AtollChanges
import AtollSQLite
import AtollVocabulary

/// An object without anything local: no row ids, no small author numbers, no order of arrival.
///
/// Equal replicas have equal canonical objects, whatever the route by which changes came.
struct CanonicalObject {
  struct Cell {
    var property: StoredProperty
    var target: ClassEntry?
    /// Nil for a collection, and for a cell that has only counter steps.
    var order: RegisterStamp?
    var steps: Int64
    var content: Content
  }

  indirect enum Content {
    case scalar(PersistedValue)
    /// A link holds class, key and generation; whether it reads nil is worked out beside it.
    case link(ClassEntry, key: PersistedValue, generation: Generation, isAlive: Bool)
    /// Nil for an empty slot.
    case embedded([Cell]?)
    case list([Element])
    /// Ascending by identity, removed ones included.
    case set([Member])
    /// Ascending by the bytes of the key, removed ones included.
    case map([Entry])
  }

  struct Element {
    var identity: ChangeIdentity
    var position: PositionKey
    var positionOrder: RegisterStamp
    var value: Cell
    /// True if it is seen: not if it links to an object that is not alive.
    var isVisible: Bool
  }

  struct Member {
    var order: RegisterStamp
    var isHeld: Bool
    /// True if it is seen if it is held: not if it links to an object that is not alive.
    var isVisible: Bool
    var content: Content
  }

  struct Entry {
    var key: String
    var order: RegisterStamp
    /// Nil once it is removed.
    var value: Cell?
  }

  var key: PersistedValue
  var generation: Generation
  /// Ascending by name, type, collection and target; only those that hold anything.
  var cells: [Cell]
}

extension FieldNode {
  /// The fields inside, as canonical text and digest list them.
  var canonicalChildren: [FieldNode] {
    table.canonicalOrder(of: ordinal) { children.compactMap { $0 }.sorted(by: isBefore) }
  }

  fileprivate func isBefore(_ a: FieldNode, _ b: FieldNode) -> Bool {
    let names = (Array(a.property.name.utf8), Array(b.property.name.utf8))
    if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
    let types = (a.property.type.rawValue, b.property.type.rawValue)
    if types.0 != types.1 { return types.0 < types.1 }
    let kinds = (a.property.collection.rawValue, b.property.collection.rawValue)
    if kinds.0 != kinds.1 { return kinds.0 < kinds.1 }
    return targetName(a) < targetName(b)
  }

  private func targetName(_ node: FieldNode) -> String {
    node.property.target.flatMap { table.owner.catalog.entry($0)?.name } ?? ""
  }
}

extension CellTable {
  /// The properties of the class, as canonical text and digest list them.
  var canonicalTop: [FieldNode] {
    canonicalOrder(of: -1) {
      let nodes = top.compactMap { $0 }
      return nodes.first.map { nodes.sorted(by: $0.isBefore) } ?? []
    }
  }
}

extension CanonicalObject.Content {
  /// Tells whether a list or set shows an element that holds this.
  func isVisible(in type: PersistedType, _ collection: CollectionKind) -> Bool {
    switch self {
    case .link(_, _, _, let isAlive): isAlive || type == .any && collection == .list
    case .embedded(let cells): cells != nil
    case .scalar, .list, .set, .map: true
    }
  }
}
