import AtollStorage
import AtollVocabulary

/// The values of an object at one moment, detached from every store, for any thread.
///
/// ```swift
/// let snapshot = airport.snapshot()
/// Task.detached { print(snapshot.name, snapshot.country?.code ?? "") }
/// ```
///
/// It is read with the key paths of the class. What that gives is made anew at each reading and
/// belongs to the reader: objects and collections are copies, which belong to no store. Linking
/// objects are not copied, and read empty.
@dynamicMemberLookup
public struct ObjectSnapshot<Root: ObjectBase>: @unchecked Sendable {
  // Sendable because it holds values alone; the compiler does not know of the key paths' classes.
  private let graph: SnapshotGraph
  private let index: Int

  fileprivate init(_ object: Root, links: Int) {
    var builder = SnapshotBuilder()
    index = builder.node(of: object, links: links)
    graph = SnapshotGraph(nodes: builder.nodes)
  }

  /// The value of a key path of the class.
  ///
  /// Stops at an object more links away than the snapshot reaches.
  public subscript<Value>(dynamicMember path: KeyPath<Root, Value>) -> Value {
    object[keyPath: path]
  }

  /// The stored value of the property of a name, as ``ObjectBase/subscript(_:)`` gives it.
  public subscript(name: String) -> Any? { object[name] }

  /// A new object of no store with these values, which can be changed, and added to a store.
  public func makeObject() -> Root {
    let copy = Root()
    do throws(Store.Error) { try copy.assign(valuesOf: object) } catch { Trap.stop(error.message) }
    return copy
  }

  /// An object that reads from here.
  private var object: Root {
    let object = graph.object(index)
    guard let root = object as? Root else {
      Trap.stop("A snapshot of '\(Root.self)' that holds a '\(type(of: object))'.")
    }
    return root
  }
}

extension ObservableObjectBase {
  /// The object's values at this moment, for any thread.
  ///
  /// The snapshot has the embedded objects and the collections; of the objects that it links to,
  /// those that are at most `links` links away. Reading anything but the primary key of one further
  /// away stops.
  public func snapshot(links: Int = 1) -> ObjectSnapshot<Self> {
    store?.checkAccess("Taking a snapshot of an object of class '\(model.name)'")
    if isInvalidated {
      Trap.stop("Taking a snapshot of an object of class '\(model.name)' that was deleted.")
    }
    return ObjectSnapshot(self, links: links)
  }
}

/// Objects as values; links are numbers of others, so that cycles end.
final class SnapshotGraph: Sendable {
  struct Node: Sendable {
    let type: ObjectBase.Type
    /// By the slot of the property; nil where the snapshot does not reach.
    var values: [Value?]
  }

  enum Value: Sendable {
    case single(Element)
    case list([Element])
    case set([Element])
    case map([(key: String, value: Element)])
  }

  indirect enum Element: Sendable {
    case scalar(PersistedValue)
    case object(Int)
    case list([Element])
    case map([(key: String, value: Element)])
  }

  private let nodes: [Node]

  init(nodes: [Node]) { self.nodes = nodes }

  /// A new object that reads from a node.
  func object(_ index: Int) -> ObjectBase {
    let node = nodes[index]
    let object = node.type.init()
    object.source = SnapshotSource(self, node)
    object.isManaged = true
    for property in object.model.properties { property.bind(object) }
    for linking in object.model.linking { linking.property.bind(object) }
    return object
  }

  func input(_ value: Value) -> _PropertyInput {
    switch value {
    case .single(let element): _PropertyInput(stored(element))
    case .list(let elements): _PropertyInput(list: elements.map(stored))
    case .set(let elements): _PropertyInput(set: elements.map(stored))
    case .map(let entries): _PropertyInput(map: entries.map(entry))
    }
  }

  private func stored(_ element: Element) -> _Stored {
    switch element {
    case .scalar(let value): _Stored(value)
    case .object(let index): _Stored(object(index))
    case .list(let elements): _Stored(.list(elements.map(stored)))
    case .map(let entries): _Stored(.map(entries.map(entry)))
    }
  }

  private func entry(_ entry: (key: String, value: Element)) -> _StoredEntry {
    _StoredEntry(key: entry.key, value: stored(entry.value))
  }
}

/// Stands behind an object that reads from a snapshot.
private final class SnapshotSource: RowSource {
  private let graph: SnapshotGraph
  private let node: SnapshotGraph.Node

  init(_ graph: SnapshotGraph, _ node: SnapshotGraph.Node) {
    self.graph = graph
    self.node = node
  }

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    if case .single(let stored) = input(slot, of: object).content { return stored }
    return .null
  }

  override func attach(_ handle: CollectionBase, to slot: Int, of object: ObjectBase) {
    handle.fill(input(slot, of: object))
  }

  override func assign(_ value: _Stored, to slot: Int, of object: ObjectBase) {
    Trap.stop(
      "Assigning \(name(slot, object)) of a snapshot. Make an object of it with makeObject().")
  }

  private func input(_ slot: Int, of object: ObjectBase) -> _PropertyInput {
    guard let value = node.values[slot] else {
      Trap.stop(
        "Reading \(name(slot, object)) of an object that is more links away than its snapshot "
          + "reaches. Take one that reaches further with snapshot(links:).")
    }
    return graph.input(value)
  }

  private func name(_ slot: Int, _ object: ObjectBase) -> String {
    "'\(object.model.name).\(object.model.properties[slot].name)'"
  }
}

/// Copies objects and what they lead to.
private struct SnapshotBuilder {
  private(set) var nodes: [SnapshotGraph.Node] = []
  /// Objects of a store that are copied already, and with how many links further.
  private var known: [Known: (index: Int, links: Int)] = [:]

  private struct Known: Hashable {
    let table: ObjectIdentifier
    let row: RowID
  }

  mutating func node(of object: ObjectBase, links: Int) -> Int {
    let key = key(of: object)
    if let key, let found = known[key], found.links >= links { return found.index }
    let index = key.flatMap { known[$0]?.index } ?? nodes.count
    if index == nodes.count {
      nodes.append(.init(type: type(of: object), values: []))
    }
    if let key { known[key] = (index, links) }
    var values: [SnapshotGraph.Value?] = []
    for property in object.model.properties {
      let isReached = links >= 0 || property.isPrimaryKey
      values.append(isReached ? value(of: property, in: object, links) : nil)
    }
    nodes[index].values = values
    return index
  }

  private func key(of object: ObjectBase) -> Known? {
    guard let row = object.managedRow, object.layout === row.table.layout else { return nil }
    return Known(table: ObjectIdentifier(row.table), row: row.id)
  }

  private mutating func value(
    of property: PropertyDescriptor, in object: ObjectBase, _ links: Int
  ) -> SnapshotGraph.Value {
    switch property.input(of: object).content {
    case .single(let stored): return .single(element(stored, links))
    case .list(let elements): return .list(elements.map { element($0, links) })
    case .set(let elements): return .set(elements.map { element($0, links) })
    case .map(let entries): return .map(entries.map { ($0.key, element($0.value, links)) })
    }
  }

  private mutating func element(_ stored: _Stored, _ links: Int) -> SnapshotGraph.Element {
    switch stored.content {
    case .scalar(let value): return .scalar(value)
    case .object(let object):
      return .object(node(of: object, links: object.model.isEmbedded ? links : links - 1))
    case .list(let elements): return .list(elements.map { element($0, links) })
    case .map(let entries): return .map(entries.map { ($0.key, element($0.value, links)) })
    }
  }
}
