import AtollStorage
import AtollVocabulary

extension Store {
  /// Writes what an object brings along to the row that has its primary key.
  ///
  /// The object becomes the row's accessor when everything is written.
  func update(_ object: Object, at id: RowID, _ table: Table) throws(AdditionFailure) {
    addition.updating[ObjectIdentifier(object)] = id
    willChange()
    let row = try onFile { file throws(StorageError) in try file.row(of: table.classID, id: id) }
    guard let row else {
      throw .storage(.noSuchObject(class: table.model.name, id: id))
    }
    let update = RowUpdate(
      store: self, table: table, id: id, policy: addition.policy, layout: table.layout,
      columns: row.columns, others: row.others)
    if try update.write(object) { table.markChanged(id) }
    object.becomeManaged(by: ManagedRow(store: self, table: table, id: id), table.layout)
    addition.updating[ObjectIdentifier(object)] = nil
  }
}

/// The changes that an update policy makes to one object's values: its own, or those of an embedded
/// one.
struct RowUpdate {
  let store: Store
  let table: Table
  let id: RowID
  let policy: Store.UpdatePolicy
  /// The layout of the object's properties in `columns`.
  var layout: RowLayout
  /// The values before the update.
  var columns: [PersistedValue]
  var others: [Int: StoredElement.Value]
  /// The way to the list element or map entry that the object is in.
  var prefix: [FieldPath.Step] = []

  private var isComparing: Bool { policy == .modified }

  /// Writes the values that the object was given; says whether any was written.
  func write(_ object: ObjectBase) throws(AdditionFailure) -> Bool {
    let given = object.draft?.given
    var hasWritten = false
    for (slot, property) in layout.model.properties.enumerated() {
      if let given, given[slot] == nil { continue }
      let input = try store.input(of: property, in: object)
      if store.isUnderway(input.content) {
        try postpone(input.content, to: slot, of: object)
        hasWritten = true
      } else if try write(input, to: slot) {
        hasWritten = true
      }
    }
    return hasWritten
  }

  /// Leaves a value that leads to an object in the making until that is there.
  private func postpone(
    _ content: _PropertyInput.Content, to slot: Int, of object: ObjectBase
  ) throws(AdditionFailure) {
    switch content {
    case .single: break
    case .list: _ = try write(_PropertyInput(list: []), to: slot)
    case .set: _ = try write(_PropertyInput(set: []), to: slot)
    case .map: _ = try write(_PropertyInput(map: []), to: slot)
    }
    store.addition.deferred.append(.init(owner: object, slot: slot, content: content))
  }

  private func write(_ input: _PropertyInput, to slot: Int) throws(AdditionFailure) -> Bool {
    switch (layout.slots[slot], input.content) {
    case (.key, _): return false
    case (.scalar(let column, let property), .single(let stored)),
      (.link(let column, let property, _), .single(let stored)):
      let value = try store.gather(stored)
      if isComparing, try isHeld(value, by: held(column), at: inside(path(to: property))) {
        return false
      }
      return try assign(value, to: property)
    case (.embedded(let presence, let property, let inner), .single(let stored)):
      return try writeEmbedded(stored, to: property, presence, inner)
    case (.collection(let property, _), .list(let elements)):
      return try writeList(elements, to: path(to: property))
    case (.collection(let property, _), .set(let members)):
      return try writeSet(members, to: path(to: property))
    case (.collection(let property, _), .map(let entries)):
      return try writeMap(entries, to: path(to: property))
    case (.scalar, _), (.link, _), (.embedded, _), (.collection, _): return false
    }
  }

  /// Returns the value of a column, in the form that elements have.
  private func held(_ column: Int) -> StoredElement.Value {
    if let other = others[column] { return other }
    return .scalar(columns[column])
  }

  private func path(to property: StoredProperty) -> FieldPath {
    FieldPath(steps: prefix + layout.steps, property: property)
  }

  private func assign(_ value: NewValue, to property: StoredProperty) throws(AdditionFailure)
    -> Bool
  {
    try store.onFile { file throws(StorageError) in
      try file.assign(table.classID, id: id, path(to: property), value)
    }
    return true
  }

  private func writeEmbedded(
    _ stored: _Stored, to property: StoredProperty, _ presence: Int, _ inner: RowLayout
  ) throws(AdditionFailure) -> Bool {
    if isComparing {
      let isThere = !columns[presence].isNull
      guard let object = stored.object else {
        return isThere ? try assign(.scalar(.null), to: property) : false
      }
      if isThere {
        var update = self
        update.layout = inner
        return try update.write(object)
      }
    }
    return try assign(try store.gather(stored), to: property)
  }
}

extension RowUpdate {
  /// Returns the path of the list or map in an any-typed slot, or in an element of a collection.
  private func inside(_ path: FieldPath, _ element: ElementID? = nil) -> FieldPath {
    var path = path
    path.nested = (path.nested ?? []) + (element.map { [$0] } ?? [])
    return path
  }

  /// Tells whether assigning the value would change nothing; a list or map is looked into at `path`.
  private func isHeld(
    _ value: NewValue, by held: StoredElement.Value, at path: FieldPath
  ) throws(AdditionFailure) -> Bool {
    switch (value, held) {
    case (.list(let new), .collection(.list)):
      let old = try store.onFile { file throws(StorageError) in
        try file.elements(of: table.classID, id: id, list: path)
      }
      guard old.count == new.count else { return false }
      for (new, old) in zip(new, old) {
        guard try isHeld(new, by: old.value, at: inside(path, old.id)) else { return false }
      }
      return true
    case (.map(let new), .collection(.map)):
      let entries = try store.onFile { file throws(StorageError) in
        try file.entries(of: table.classID, id: id, map: path)
      }
      let old = Dictionary(entries.map { (Array($0.key.utf8), $0.element) }) { first, _ in first }
      guard old.count == new.count else { return false }
      for entry in new {
        guard let element = old[Array(entry.key.utf8)],
          try isHeld(entry.value, by: element.value, at: inside(path, element.id))
        else { return false }
      }
      return true
    case (_, _): return value.isHeld(by: held)
    }
  }
}

extension NewValue {
  /// Tells whether assigning the scalar or link would change nothing.
  fileprivate func isHeld(by held: StoredElement.Value) -> Bool {
    switch (self, held) {
    case (.scalar(let new), .scalar(let old)): new == old
    case (.link(_, let new), .scalar(.int(let old))): new == RowID(old)
    case (.link(let newClass, let new), .link(let oldClass, let old)):
      newClass == oldClass && new == old
    case (.scalar, _), (.link, _), (.embedded, _), (.list, _), (.set, _), (.map, _): false
    }
  }
}

// MARK: - Collections

extension RowUpdate {
  private func writeList(
    _ elements: [_Stored], to list: FieldPath
  ) throws(AdditionFailure) -> Bool {
    let held = try store.onFile { file throws(StorageError) in
      try file.elements(of: table.classID, id: id, list: list)
    }
    guard isComparing else {
      if held.isEmpty, elements.isEmpty { return false }
      try store.onFile { file throws(StorageError) in
        try file.listClear(table.classID, id: id, list: list)
      }
      for element in elements { try append(element, to: list) }
      return true
    }
    var hasWritten = false
    for (index, element) in elements.enumerated() {
      guard index < held.count else {
        try append(element, to: list)
        hasWritten = true
        continue
      }
      if let written = try writeInside(held[index], element, list) {
        hasWritten = written || hasWritten
        continue
      }
      let value = try store.gather(element)
      let place = inside(list, held[index].id)
      if try isHeld(value, by: held[index].value, at: place) { continue }
      hasWritten = true
      try store.onFile { file throws(StorageError) in
        try file.listAssign(table.classID, id: id, list: list, at: index, value)
      }
    }
    for index in (elements.count..<max(held.count, elements.count)).reversed() {
      hasWritten = true
      try store.onFile { file throws(StorageError) in
        try file.listRemove(table.classID, id: id, list: list, at: index)
      }
    }
    return hasWritten
  }

  private func append(_ element: _Stored, to list: FieldPath) throws(AdditionFailure) {
    let value = try store.gather(element)
    try store.onFile { file throws(StorageError) in
      _ = try file.listInsert(table.classID, id: id, list: list, at: nil, value)
    }
  }

  /// Changes an embedded object where it is; nil if there is none, or nothing to change it to.
  private func writeInside(
    _ held: StoredElement, _ new: _Stored, _ collection: FieldPath
  ) throws(AdditionFailure) -> Bool? {
    guard case .embedded(let columns) = held.value, let object = new.object else { return nil }
    var update = self
    update.layout = store.table(of: object, "Updating an embedded object").layout
    update.columns = columns
    update.others = [:]
    update.prefix = collection.steps + [.element(collection.property, held.id)]
    return try update.write(object)
  }

  private func writeSet(_ members: [_Stored], to set: FieldPath) throws(AdditionFailure) -> Bool {
    var values: [NewValue] = []
    for member in members { values.append(try store.gather(member)) }
    let held = try store.onFile { file throws(StorageError) in
      try file.members(of: table.classID, id: id, set: set)
    }
    let added = values.filter { value in !held.contains { value.isHeld(by: $0.value) } }
    let removed = held.filter { member in !values.contains { $0.isHeld(by: member.value) } }
    if isComparing, added.isEmpty, removed.isEmpty { return false }
    try store.onFile { file throws(StorageError) in
      if !isComparing { try file.setClear(table.classID, id: id, set: set) }
      for value in isComparing ? added : values {
        _ = try file.setInsert(table.classID, id: id, set: set, value)
      }
      for case let value? in removed.map({ NewValue($0.value) }) where isComparing {
        _ = try file.setRemove(table.classID, id: id, set: set, value)
      }
    }
    return true
  }

  private func writeMap(
    _ entries: [_StoredEntry], to map: FieldPath
  ) throws(AdditionFailure) -> Bool {
    let held = try store.onFile { file throws(StorageError) in
      try file.entries(of: table.classID, id: id, map: map)
    }
    var hasWritten = false
    if !isComparing, !held.isEmpty {
      hasWritten = true
      try store.onFile { file throws(StorageError) in
        try file.mapClear(table.classID, id: id, map: map)
      }
    }
    let old = Dictionary(held.map { (Array($0.key.utf8), $0.element) }) { first, _ in first }
    for entry in entries {
      if try write(entry, over: isComparing ? old[Array(entry.key.utf8)] : nil, in: map) {
        hasWritten = true
      }
    }
    let kept = Set(entries.map { Array($0.key.utf8) })
    for entry in held where isComparing && !kept.contains(Array(entry.key.utf8)) {
      hasWritten = true
      try store.onFile { file throws(StorageError) in
        _ = try file.mapRemove(table.classID, id: id, map: map, key: entry.key)
      }
    }
    return hasWritten
  }

  private func write(
    _ entry: _StoredEntry, over held: StoredElement?, in map: FieldPath
  ) throws(AdditionFailure) -> Bool {
    if let held, let written = try writeInside(held, entry.value, map) { return written }
    let value = try store.gather(entry.value)
    if let held, try isHeld(value, by: held.value, at: inside(map, held.id)) { return false }
    try store.onFile { file throws(StorageError) in
      _ = try file.mapAssign(table.classID, id: id, map: map, key: entry.key, value)
    }
    return true
  }
}

extension NewValue {
  /// Makes the member of a set in the form in which it is removed.
  fileprivate init?(_ held: StoredElement.Value) {
    switch held {
    case .scalar(let value): self = .scalar(value)
    case .link(let classID, let id): self = .link(classID, id)
    case .embedded, .collection: return nil
    }
  }
}
