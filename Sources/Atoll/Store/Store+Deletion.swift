import AtollQuery
import AtollStorage
import AtollVocabulary

extension Store {
  /// Deletes an object, and what it embeds; links to it read nil from then on.
  ///
  /// An embedded object is taken from its owner: its property becomes nil, the list or map loses it.
  /// Stops where ``delete(checking:)`` throws.
  public func delete(_ object: ObjectBase) {
    do throws(Error) { try delete(checking: object) } catch { Trap.stop(error.message) }
  }

  /// Deletes an object as ``delete(_:)-(ObjectBase)`` does.
  ///
  /// - Throws: ``Store/Error/Code/invalidObject`` if this store does not manage the object, or if it
  ///   was deleted already.
  public func delete(checking object: ObjectBase) throws(Error) {
    checkAccess("Deleting an object")
    guard let source = object.source, let row = source.row, row.store === self else {
      throw Error(
        .invalidObject,
        "Deleting an object of class '\(object.model.name)' that this store does not "
          + "manage. Delete it through the store in its property 'store'.")
    }
    if object.isInvalidated {
      throw Error(
        .invalidObject, "Deleting an object of class '\(object.model.name)' that was deleted.")
    }
    if object.model.isEmbedded { return deleteEmbedded(object, source, row) }
    delete(row.id, of: row.table)
  }

  private func deleteEmbedded(_ object: ObjectBase, _ source: RowSource, _ row: ManagedRow) {
    guard let steps = object.layout?.steps, case .slot(let slot)? = steps.last else {
      (source as? ManagedElement)?.remove()
      return
    }
    write("Deleting an embedded object of class '\(object.model.name)'") {
      file throws(StorageError) in
      let path = FieldPath(steps: source.steps + steps.dropLast(), property: slot)
      try file.assign(row.table.classID, id: row.id, path, .scalar(.null))
    }
    row.table.markChanged(row.id)
  }

  /// Links and lists anywhere may have led to the object, so every cached row is out of date.
  private func delete(_ id: RowID, of table: Table) { delete(CollectionOfOne(id), of: table) }

  private func delete(_ ids: some Sequence<RowID>, of table: Table) {
    write("Deleting objects of class '\(table.model.name)'") { file throws(StorageError) in
      for id in ids { try file.delete(table.classID, id: id) }
    }
    version += 1
  }

  /// Deletes the objects of an array, a `List`, a `MutableSet`, `Results` or another sequence.
  public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
    for object in Array(objects) where !object.isInvalidated { delete(object) }
  }

  /// Deletes the objects that results have now; none of them is read.
  public func delete<Element: Object>(_ results: Results<Element>) {
    checkAccess("Deleting objects")
    guard results.store === self else {
      Trap.stop(
        "Deleting objects of class '\(results.name)' that this store does not manage. "
          + "Delete them through the store in their property 'store'.")
    }
    delete(results.ids, of: results.table)
  }

  /// Deletes the objects that a map has as values.
  public func delete<Key, Value: ObjectBase>(_ map: Map<Key, Value?>) {
    delete(map.values.compactMap { $0 })
  }

  /// Deletes every object of the store's classes.
  public func deleteAll() {
    checkAccess("Deleting every object")
    for table in tables where !table.model.isEmbedded {
      let ids = attempt("listing objects") { file throws(StorageError) in
        try file.ids(StoreQuery(table.classID))
      }
      delete(ids, of: table)
    }
  }
}

extension ManagedElement {
  /// Takes the element from its list, or the entry from its map.
  fileprivate func remove() {
    if let list = collection as? ManagedList {
      guard let index = list.currentElements.firstIndex(where: { $0.id == id }) else { return }
      list.remove(at: index)
    } else if let map = collection as? ManagedMap {
      let entries = map.read { file throws(StorageError) in
        try file.entries(of: map.classID, id: map.row.id, map: map.path)
      }
      if let entry = entries.first(where: { $0.element.id == id }) { map.remove(entry.key) }
    }
  }
}
