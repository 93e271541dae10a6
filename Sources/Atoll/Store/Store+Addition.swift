import AtollStorage
import AtollVocabulary

/// The objects of one graph on their way into a store.
struct Addition {
  /// A link, or a whole collection, that waits until the objects it names are in the store.
  struct Deferred {
    var owner: ObjectBase
    var slot: Int
    var content: _PropertyInput.Content
  }

  var policy = Store.UpdatePolicy.error
  /// True if objects that the store does not manage are copied rather than taken in.
  var isCopying = false
  var copies: [Original: Object] = [:]
  /// Objects whose fields are being gathered: links to them have to wait.
  var underway: Set<ObjectIdentifier> = []
  /// Objects that stand for a row whose fields are being written.
  var updating: [ObjectIdentifier: RowID] = [:]
  var deferred: [Deferred] = []

  /// The original of a copy: an instance, or the row of another store, which has many accessors.
  enum Original: Hashable {
    case instance(ObjectIdentifier)
    case row(of: ObjectIdentifier, ClassID, RowID)

    init(_ object: Object) {
      if let row = object.managedRow {
        self = .row(of: ObjectIdentifier(row.store), row.table.classID, row.id)
      } else {
        self = .instance(ObjectIdentifier(object))
      }
    }
  }
}

extension Store {
  /// Makes an unmanaged object the accessor of a new row, or of the one that the policy lets it
  /// write to.
  func insert(_ object: Object) throws(AdditionFailure) {
    if let row = object.managedRow { return try checkOwn(row, object) }
    requireTransaction("Adding an object of class '\(object.model.name)'")
    let table = table(of: object, "Adding an object")
    if let failure = object.draft?.failure { throw .refused(failure) }
    if addition.policy != .error, let id = try existing(object, table) {
      return try update(object, at: id, table)
    }
    let leadsOn = table.layout.leadsToObjects
    if leadsOn { addition.underway.insert(ObjectIdentifier(object)) }
    let (key, fields) = try fields(of: object, table.layout)
    willChange()
    let id = try onFile { file throws(StorageError) in
      try file.create(table.classID, key: key, fields: fields)
    }
    object.becomeManaged(
      by: ManagedRow(store: self, table: table, id: id, isNew: true), table.layout,
      isCreated: true)
    table.recordCreated(id)
    if leadsOn { addition.underway.remove(ObjectIdentifier(object)) }
    if addition.underway.isEmpty { try settleDeferred() }
  }

  private func checkOwn(_ row: ManagedRow, _ object: Object) throws(AdditionFailure) {
    let name = row.table.model.name
    if row.store !== self {
      throw .refused(
        Error(
          .invalidObject,
          "Adding an object of class '\(name)' that another store manages: it belongs to "
            + "'\(row.store.configuration.path)', this store is '\(configuration.path)'. "
            + "Make a copy with \(name)(value: object) and add that."))
    }
    if object.isInvalidated {
      throw .refused(
        Error(.invalidObject, "Adding an object of class '\(name)' that was deleted."))
    }
  }

  /// The row of an object's primary key; nil if there is none.
  private func existing(_ object: Object, _ table: Table) throws(AdditionFailure) -> RowID? {
    guard let property = table.model.primaryKey else { return nil }
    let input = try input(of: property, in: object)
    guard case .single(let stored) = input.content, let key = stored.scalar else { return nil }
    return try onFile { file throws(StorageError) in try file.find(table.classID, key: key) }
  }

  func onFile<R>(
    _ body: (StoreFile) throws(StorageError) -> R
  ) throws(AdditionFailure) -> R {
    do throws(StorageError) { return try body(file) } catch { throw .storage(error) }
  }

  // MARK: Fields

  /// The value of one property: as given, or the object's own.
  func input(
    of property: PropertyDescriptor, in object: ObjectBase
  ) throws(AdditionFailure) -> _PropertyInput {
    if let given = object.draft?.given[property.slot] { return given }
    if let input = property.inputIfAny(of: object) { return input }
    throw .refused(Error(.invalidValue, property.withoutDefault))
  }

  /// Returns the fields of one object.
  private func fields(
    of object: ObjectBase, _ layout: RowLayout
  ) throws(AdditionFailure) -> (key: PersistedValue?, [NewField]) {
    let given = object.draft?.given
    var key: PersistedValue?
    var fields: [NewField] = []
    fields.reserveCapacity(layout.slots.count)
    for (slot, property) in layout.model.properties.enumerated() {
      let input = try input(of: property, in: object)
      let isAssigned =
        given.map { $0[slot] != nil } ?? (object.isManaged || property.isAssigned(in: object))
      switch layout.slots[slot] {
      case .key:
        key = input.scalar ?? key
      case .scalar(_, let stored), .link(_, let stored, _), .embedded(_, let stored, _),
        .collection(let stored, _):
        if let scalar = input.scalar {
          // Most values: nothing to wait for, and nothing inside.
          if !isAssigned, scalar.isNull { continue }
          fields.append(NewField(stored, .scalar(scalar), isAssigned: isAssigned))
        } else if let value = try value(input.content, slot, object) {
          if !isAssigned, case .scalar(.null) = value { continue }
          fields.append(NewField(stored, value, isAssigned: isAssigned))
        }
      }
    }
    return (key, fields)
  }

  /// A field's value, nil if it has to wait or says nothing.
  private func value(
    _ content: _PropertyInput.Content, _ slot: Int, _ owner: ObjectBase
  ) throws(AdditionFailure) -> NewValue? {
    if isUnderway(content) {
      // The content of the handle now: until then it is that of the collection in the store.
      let kept: _PropertyInput.Content =
        if case .single(let stored) = content { .single(_Stored(stored.content)) } else { content }
      addition.deferred.append(.init(owner: owner, slot: slot, content: kept))
      return nil
    }
    return content.isEmpty ? nil : try gather(content)
  }

  func isUnderway(_ content: _PropertyInput.Content) -> Bool {
    switch content {
    case .single(let stored): isUnderway(stored)
    case .list(let elements), .set(let elements): elements.contains(where: isUnderway)
    case .map(let entries): entries.contains { isUnderway($0.value) }
    }
  }

  private func gather(_ content: _PropertyInput.Content) throws(AdditionFailure) -> NewValue {
    switch content {
    case .single(let stored): return try gather(stored)
    case .list(let elements): return .list(try gather(elements))
    case .set(let members): return .set(try gather(members))
    case .map(let entries): return .map(try gather(entries))
    }
  }

  private func isUnderway(_ stored: _Stored) -> Bool {
    if addition.underway.isEmpty { return false }
    switch stored.content {
    case .scalar: return false
    case .list(let elements): return elements.contains(where: isUnderway)
    case .map(let entries): return entries.contains { isUnderway($0.value) }
    case .object(let object as Object):
      if object.isManaged, !addition.isCopying { return false }
      let target = addition.copies[Addition.Original(object)] ?? object
      return addition.underway.contains(ObjectIdentifier(target))
    case .object: return false
    }
  }

  private func settleDeferred() throws(AdditionFailure) {
    if addition.deferred.isEmpty { return }
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

  // MARK: Values

  /// A stored value as the file takes it; unmanaged objects it links to are added first.
  func newValue(_ stored: _Stored) throws(StorageError) -> NewValue {
    do throws(AdditionFailure) {
      return try gather(stored)
    } catch {
      addition = Addition(policy: addition.policy, isCopying: addition.isCopying)
      switch error {
      case .storage(let error): throw error
      case .refused(let error): Trap.stop(error.message)
      }
    }
  }

  func gather(_ stored: _Stored) throws(AdditionFailure) -> NewValue {
    switch stored.content {
    case .scalar(let value): return .scalar(value)
    case .object(let object as Object) where !object.model.isEmbedded:
      return try link(to: object)
    case .object(let object):
      let table = table(of: object, "Storing an embedded object")
      if let failure = object.draft?.failure { throw .refused(failure) }
      return .embedded(try fields(of: object, table.layout).1)
    case .list(let elements): return .list(try gather(elements))
    case .map(let entries): return .map(try gather(entries))
    }
  }

  private func gather(_ elements: [_Stored]) throws(AdditionFailure) -> [NewValue] {
    var values: [NewValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try gather(element)) }
    return values
  }

  func gather(_ entries: [_StoredEntry]) throws(AdditionFailure) -> [NewEntry] {
    var made: [NewEntry] = []
    for entry in entries { made.append(NewEntry(key: entry.key, value: try gather(entry.value))) }
    return made
  }

  private func link(to object: Object) throws(AdditionFailure) -> NewValue {
    var target = object
    if addition.isCopying, object.draft == nil, object.managedRow?.store !== self {
      target = copy(of: object)
    }
    if let id = addition.updating[ObjectIdentifier(target)] {
      return .link(table(of: target, "Linking to an object").classID, id)
    }
    try insert(target)
    guard let row = target.managedRow else { return .scalar(.null) }
    return .link(row.table.classID, row.id)
  }

  /// One copy for each object, so that a graph keeps its shape.
  private func copy(of object: Object) -> Object {
    let original = Addition.Original(object)
    if let copy = addition.copies[original] { return copy }
    let copy = type(of: object).draft(of: object)
    addition.copies[original] = copy
    return copy
  }
}

extension ObjectBase {
  /// Turns an unmanaged object into the accessor of a row, with the collections and the embedded
  /// objects it has handed out; `isCreated` says that all of it came with a new row.
  final func becomeManaged(
    by source: RowSource, _ layout: RowLayout, isCreated: Bool = false
  ) {
    var embedded: [(ObjectBase, RowLayout)] = []
    var collections: [(Int, CollectionBase)] = []
    var values: [(_Stored, StoredProperty)] = []
    for slot in layout.handleSlots {
      let property = layout.model.properties[slot]
      switch layout.slots[slot] {
      case .embedded(_, _, let inner):
        guard let object = property.held(by: self)?.object, !object.isManaged else { continue }
        embedded.append((object, inner))
      case .collection:
        if let held = property.collection(of: self) { collections.append((slot, held)) }
      case .scalar(_, let stored):
        if let value = property.held(by: self) { values.append((value, stored)) }
      case .key, .link: continue
      }
    }
    let isFirst = isCreated && layout.presence != nil
    bind(to: source, layout, isFirst ? RowLayout.firstInstance : source.instance(at: layout))
    for (object, inner) in embedded {
      object.becomeManaged(by: source, inner, isCreated: isCreated)
    }
    for (slot, held) in collections { source.attach(held, to: slot, of: self) }
    for (value, property) in values { source.adopt(value, in: property, of: self) }
  }
}

extension PropertyDescriptor {
  /// The single value of an unmanaged object.
  fileprivate func held(by object: ObjectBase) -> _Stored? {
    guard case .single(let stored)? = inputIfAny(of: object)?.content else { return nil }
    return stored
  }
}

extension _PropertyInput {
  /// A single value that is one; nil for objects and for whatever holds several.
  fileprivate var scalar: PersistedValue? {
    if case .single(let stored) = content { stored.scalar } else { nil }
  }
}

extension _PropertyInput.Content {
  /// True if it is a collection of nothing.
  fileprivate var isEmpty: Bool {
    switch self {
    case .single: false
    case .list(let elements), .set(let elements): elements.isEmpty
    case .map(let entries): entries.isEmpty
    }
  }
}
