import AtollStorage
import AtollVocabulary

/// Every class of a file as the dynamic interface sees it, those of the model and the others.
///
/// Made again when the file gets to know more.
final class DynamicClasses {
  unowned let store: Store
  /// As the file has them.
  let stored: [StoredClass]
  /// One for each, in the same order.
  private(set) var tables: [Table] = []
  /// The parts of the file that the model last used; nil shows everything that the file has.
  private let record: SchemaRecord?

  init(_ store: Store, _ stored: [StoredClass], record: SchemaRecord?) {
    self.store = store
    self.stored = stored
    self.record = record
    let models = stored.map(model)
    let catalogue = RowLayout.Catalogue(models: models, stored: stored)
    tables = stored.indices.map { Table(dynamic: self, index: $0, in: catalogue) }
  }

  /// The class of a name: the model's, or else the one that the file was last used with.
  func table(named name: String) -> Table? {
    let found = tables.filter { $0.model.name == name }
    return found.first { store.table(of: $0.classID) != nil }
      ?? found.first { record?.classes.contains($0.classID) ?? false } ?? found.first
  }

  func table(of id: ClassID) -> Table? { tables.first { $0.classID == id } }

  func name(of id: ClassID) -> String? { stored.first { $0.id == id }?.name }

  // MARK: Classes

  private func model(_ stored: StoredClass) -> ModelClass {
    let declared = store.table(of: stored.id)?.model
    let name = declared?.name ?? stored.name
    let properties = properties(of: stored, declared).enumerated().map { slot, found in
      DynamicProperty(found.0, of: name, slot: slot, declared: found.1, in: self)
    }
    return ModelClass(named: name, isEmbedded: stored.isEmbedded, properties: properties)
  }

  /// Those of the model; without one, of each name the one last used, or the first.
  private func properties(
    of stored: StoredClass, _ declared: ModelClass?
  ) -> [(StoredProperty, PropertyDescriptor?)] {
    if let declared {
      return declared.properties.compactMap { property in
        let found = property.isPrimaryKey ? stored.key : stored.property(declaredAs: property)
        return found.map { ($0, property) }
      }
    }
    var names: Set<String> = []
    let known = stored.properties.filter { record?.properties.contains($0.id) ?? true }
    return ((stored.key.map { [$0] } ?? []) + known).compactMap { property in
      guard !property.name.isEmpty, !isEndless(property), names.insert(property.name).inserted
      else { return nil }
      return (property, nil)
    }
  }

  /// Tells whether an embedded object is inside one of its own kind, without end: no row has columns for
  /// that.
  private func isEndless(_ property: StoredProperty) -> Bool {
    var next = [property]
    var seen: Set<ClassID> = [property.owner]
    while let property = next.popLast() {
      guard property.type == .embedded, property.collection == .none, let target = property.target
      else { continue }
      if !seen.insert(target).inserted { return true }
      next += stored.first { $0.id == target }?.properties ?? []
    }
    return false
  }

  // MARK: Objects as values of properties

  /// An object as a value of a property of class `target`; nil if it is of another class.
  func stored(_ object: ObjectBase, as target: ClassID) -> _Stored? {
    guard let table = table(of: target), object.model.name == table.model.name else { return nil }
    if table.model.isEmbedded {
      return (try? DynamicObject(table.model, value: object)).map { _Stored($0) }
    }
    guard let row = object.managedRow else { return _Stored(object) }
    if row.store === store { return _Stored(object) }
    // An object of the state before a migration stands for the one of now.
    guard row.store.configuration.path == store.configuration.path, row.table.classID == target
    else { return _Stored(object) }
    let id = store.attempt("finding an object") { file throws(StorageError) in
      try file.row(of: target, id: row.id)
    }
    return id.map { _Stored(table.object($0)) } ?? .null
  }

  /// A new object of a class, from a dictionary or an array.
  func make(_ target: ClassID, value: Any) -> _Stored? {
    guard let table = table(of: target) else { return nil }
    if !table.model.isEmbedded, let declared = store.table(of: target)?.model.type {
      return _Stored(declared.draft(of: value))
    }
    return (try? DynamicObject(table.model, value: value)).map { _Stored($0) }
  }
}

extension StoredClass {
  /// The property that a model declares so.
  func property(declaredAs property: PropertyDescriptor) -> StoredProperty? {
    let schema = property.schema
    return self.property(named: schema.name, type: schema.type, collection: schema.collection)
  }
}
