import AtollStorage
import AtollVocabulary

/// The objects of one graph on their way into a store.
struct Addition {
  /// A link, or a whole list, that waits until the objects it names are in the store.
  struct Deferred {
    var owner: ObjectBase
    var slot: Int
    var content: _PropertyInput.Content
  }

  /// Objects whose fields are being gathered: links to them have to wait.
  var underway: Set<ObjectIdentifier> = []
  var deferred: [Deferred] = []
}

extension Store {
  /// Creates the row of an unmanaged object; `given` are values that stand above its own.
  func insert(_ object: Object, given: [Int: _PropertyInput] = [:]) throws(StorageError) {
    if let row = object.managedRow { return checkOwn(row, object) }
    requireTransaction("Adding an object of class '\(ModelClass.name(of: type(of: object)))'")
    let table = table(of: type(of: object), "Adding an object")
    addition.underway.insert(ObjectIdentifier(object))
    var gatherer = Gatherer(object, given)
    let fields = try fields(&gatherer, table.layout)
    willChange()
    let id = try file.create(table.classID, key: gatherer.key, fields: fields)
    object.becomeManaged(
      by: ManagedRow(store: self, table: table, id: id, isNew: true), table.layout)
    table.noteCreated(id)
    addition.underway.remove(ObjectIdentifier(object))
    if addition.underway.isEmpty { try settleDeferred() }
  }

  private func checkOwn(_ row: ManagedRow, _ object: Object) {
    if row.store === self {
      if object.isInvalidated {
        Trap.stop("Adding an object of class '\(row.table.model.name)' that was deleted.")
      }
      return
    }
    Trap.stop(
      "Adding an object of class '\(row.table.model.name)' that another store manages: it belongs "
        + "to '\(row.store.configuration.path)', this store is '\(configuration.path)'. "
        + "Make a copy with \(row.table.model.name)(value: object) and add that.")
  }

  /// What one object brings along.
  private struct Gatherer {
    let object: ObjectBase
    let given: [Int: _PropertyInput]
    var key: PersistedValue?

    init(_ object: ObjectBase, _ given: [Int: _PropertyInput]) {
      self.object = object
      self.given = given
    }
  }

  private func fields(
    _ gatherer: inout Gatherer, _ layout: RowLayout
  ) throws(StorageError) -> [NewField] {
    var fields: [NewField] = []
    fields.reserveCapacity(layout.slots.count)
    for (slot, property) in layout.model.properties.enumerated() {
      let given = gatherer.given.isEmpty ? nil : gatherer.given[slot]
      let input = given ?? property.input(of: gatherer.object)
      let isAssigned = given != nil || property.isAssigned(in: gatherer.object)
      switch layout.slots[slot] {
      case .key:
        if case .single(let stored) = input.content { gatherer.key = stored.scalar }
      case .scalar(_, let stored), .link(_, let stored, _), .embedded(_, let stored, _),
        .collection(let stored, _):
        guard let value = try value(input.content, slot, gatherer.object) else { continue }
        if !isAssigned, case .scalar(.null) = value { continue }
        fields.append(NewField(stored, value, isAssigned: isAssigned))
      }
    }
    return fields
  }

  /// A field's value, nil if it has to wait or says nothing.
  private func value(
    _ content: _PropertyInput.Content, _ slot: Int, _ owner: ObjectBase
  ) throws(StorageError) -> NewValue? {
    switch content {
    case .single(let stored):
      if isUnderway(stored) {
        addition.deferred.append(.init(owner: owner, slot: slot, content: content))
        return nil
      }
      return try newValue(stored)
    case .list(let elements):
      if elements.isEmpty { return nil }
      if elements.contains(where: isUnderway) {
        addition.deferred.append(.init(owner: owner, slot: slot, content: content))
        return nil
      }
      var values: [NewValue] = []
      for element in elements { values.append(try newValue(element)) }
      return .list(values)
    case .set(let members):
      if members.isEmpty { return nil }
      if members.contains(where: isUnderway) {
        addition.deferred.append(.init(owner: owner, slot: slot, content: content))
        return nil
      }
      var values: [NewValue] = []
      for member in members { values.append(try newValue(member)) }
      return .set(values)
    case .map(let entries):
      if entries.isEmpty { return nil }
      if entries.contains(where: { isUnderway($0.value) }) {
        addition.deferred.append(.init(owner: owner, slot: slot, content: content))
        return nil
      }
      return .map(try newEntries(entries))
    }
  }

  private func isUnderway(_ stored: _Stored) -> Bool {
    guard let object = stored.object, !object.isManaged else { return false }
    return addition.underway.contains(ObjectIdentifier(object))
  }

  private func settleDeferred() throws(StorageError) {
    let deferred = addition.deferred
    addition.deferred = []
    for item in deferred {
      switch item.content {
      case .single(let stored): item.owner.source?.assign(stored, to: item.slot, of: item.owner)
      case .list, .set, .map:
        item.owner.source?.collection(item.slot, of: item.owner)?.take(item.content)
      }
    }
  }

  /// A stored value as the file takes it; unmanaged objects it links to are added first.
  func newValue(_ stored: _Stored) throws(StorageError) -> NewValue {
    switch stored.content {
    case .scalar(let value): return .scalar(value)
    case .object(let object as Object):
      try insert(object)
      guard let row = object.managedRow else { return .scalar(.null) }
      return .link(row.table.classID, row.id)
    case .object(let object):
      let table = table(of: type(of: object), "Storing an embedded object")
      var gatherer = Gatherer(object, [:])
      return .embedded(try fields(&gatherer, table.layout))
    case .list(let elements):
      var values: [NewValue] = []
      for element in elements { values.append(try newValue(element)) }
      return .list(values)
    case .map(let entries): return .map(try newEntries(entries))
    }
  }

  private func newEntries(_ entries: [_StoredEntry]) throws(StorageError) -> [NewEntry] {
    var made: [NewEntry] = []
    for entry in entries { made.append(NewEntry(key: entry.key, value: try newValue(entry.value))) }
    return made
  }
}

extension ObjectBase {
  /// Turns an unmanaged object into the accessor of a row, with the collections and the embedded objects
  /// it has handed out.
  final func becomeManaged(by source: RowSource, _ layout: RowLayout) {
    var embedded: [(ObjectBase, RowLayout)] = []
    var collections: [(Int, CollectionBase)] = []
    for slot in layout.handleSlots {
      let property = layout.model.properties[slot]
      switch layout.slots[slot] {
      case .embedded(_, _, let inner):
        guard case .single(let stored) = property.input(of: self).content,
          let object = stored.object, !object.isManaged
        else { continue }
        embedded.append((object, inner))
      case .collection:
        if let held = property.collection(of: self) { collections.append((slot, held)) }
      case .key, .scalar, .link: continue
      }
    }
    bind(to: source, layout)
    for (object, inner) in embedded { object.becomeManaged(by: source, inner) }
    for (slot, held) in collections { source.attach(held, to: slot, of: self) }
  }
}
