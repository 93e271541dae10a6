import AtollQuery
import AtollStorage
import AtollVocabulary

/// A path of names that an observer named, in terms of the file: a hop for each class on the way.
struct ObservedPath: Hashable {
  struct Hop: Hashable {
    var classID: ClassID
    /// From an object of the class inwards, through what it embeds.
    var properties: [StoredProperty]
    /// The columns of the class that belong to it.
    var columns: ColumnSet

    init(_ classID: ClassID, _ properties: [StoredProperty], columns: ColumnSet = ColumnSet()) {
      self.classID = classID
      self.properties = properties
      self.columns = columns
    }

    /// A way inwards from the rows of a class, with its columns.
    init(in row: Table, _ properties: [StoredProperty]) {
      self.init(row.classID, properties)
      for (index, column) in row.stored.columns.enumerated()
      where column.properties.map(\.id).starts(with: properties.map(\.id)) {
        columns.insert(index)
      }
    }
  }

  private(set) var hops: [Hop] = []

  /// Every property of first level that the path begins with.
  let name: String

  /// Stops if the class has no such property, or the path goes on where nothing follows.
  init(_ path: String, from table: Table, under steps: [StoredProperty]) {
    let names = path.split(separator: ".").map(String.init)
    name = names.first ?? ""
    var walk = Walk(path: path, table: table, row: steps.isEmpty ? table : nil, steps: steps)
    for name in names { walk.step(name, into: &hops) }
    walk.finish(&hops)
  }

  /// For an embedded object: the class of its row, and where it is in there.
  init(_ path: String, of object: ObjectBase, in row: ManagedRow) {
    let names = path.split(separator: ".").map(String.init)
    name = names.first ?? ""
    let embedded = object.layout.flatMap { layout in
      row.store.allTables.first { $0.model === layout.model }
    }
    var walk = Walk(
      path: path, table: embedded ?? row.table, row: row.table,
      steps: object.layout?.slotProperties ?? [])
    for name in names { walk.step(name, into: &hops) }
    walk.finish(&hops)
  }
}

extension ObservedPath {
  /// A way that a query takes from an object through links, collections, and what is embedded.
  ///
  /// Takes the steps that it leads along: all but those from where it comes to what links to an object,
  /// or by a link out of an embedded element or an any-typed value.
  init(taking steps: inout ArraySlice<PropertyPath.Step>, from table: Table) {
    name = ""
    var row: Table? = table
    var (way, isInside): ([StoredProperty], Bool) = ([], false)
    take: while let step = steps.first {
      switch step {
      case .origins: break take
      // Whichever element is meant, the collection's column says that it was written.
      case .entry, .index, .wildcard: break
      case .property(let property):
        if isInside, property.type == .link { break take }
        if isInside { break }
        way.append(property)
        isInside =
          property.type == .any || property.type == .embedded && property.collection != .none
        guard property.type == .link, let origin = row else { break }
        hops.append(Hop(in: origin, way))
        row = property.target.flatMap(table.neighbour)
        way = []
      }
      steps.removeFirst()
    }
    if let row, !way.isEmpty { hops.append(Hop(in: row, way)) }
  }
}

/// The way along one path.
private struct Walk {
  let path: String
  /// The class that the next name is of; nil after a value.
  var table: Table?
  /// The class whose rows the way is in.
  var row: Table?
  var steps: [StoredProperty]

  mutating func step(_ name: String, into hops: inout [ObservedPath.Hop]) {
    guard let table else { stop("nothing follows before '\(name)'") }
    guard let property = table.model.property(named: name), let stored = table.step(to: property)
    else {
      let isLinking = table.model.linking.contains { $0.property.name == name }
      stop(
        isLinking
          ? "'\(name)' of class '\(table.model.name)' is found and not stored. Observe the linking "
            + "objects themselves, 'object.\(name).observe'"
          : "class '\(table.model.name)' has no property '\(name)'")
    }
    steps.append(stored)
    self.table = stored.target.flatMap(table.neighbour)
    if stored.type == .link || stored.collection != .none { finish(&hops) }
    if stored.type == .link { row = self.table }
  }

  /// Closes a hop, if anything of the class was named.
  mutating func finish(_ hops: inout [ObservedPath.Hop]) {
    guard !steps.isEmpty, let row else { return }
    hops.append(.init(in: row, steps))
    steps = []
  }

  private func stop(_ found: String) -> Never {
    Trap.stop("Observing the key path '\(path)': \(found).")
  }
}

extension RowLayout {
  /// The way to an embedded object, where it leads through no collection.
  var slotProperties: [StoredProperty] {
    steps.compactMap { if case .slot(let property) = $0 { property } else { nil } }
  }
}
