import AtollQuery
import AtollStorage
import AtollVocabulary

/// A block that a store calls once if a file was last opened with a lower version of the model.
///
/// An error that it throws ends the migration: the file stays as it was, and opening throws.
public typealias MigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) throws -> Void

/// An object during a migration, known by the name of its class.
public typealias MigrationObject = DynamicObject

/// A block that is called for each object: as it was, and as it is now; either can be missing.
public typealias MigrationObjectEnumerateBlock = (
  _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) throws -> Void

/// A file on its way from one version of the model to another.
///
/// Old objects show the file as it was and cannot be changed. New objects have the properties of
/// the model as declared now; those that the file did not have are zero or nil. What is written is
/// an ordinary change: other replicas hear of it.
///
/// ```swift
/// Store.Configuration(schemaVersion: 2) { migration, oldSchemaVersion in
///   migration.enumerateObjects(ofType: "Person") { old, new in
///     new?.fullName = "\(old?.firstName ?? "") \(old?.lastName ?? "")"
///   }
/// }
/// ```
public struct Migration {
  let old: Store
  let new: Store

  /// The classes as the file had them.
  public var oldSchema: Schema { old.schema }

  /// The classes as they are declared now.
  public var newSchema: Schema { new.declaredSchema }

  /// Calls `block` with every object that the file had of a class, as it was and as it is.
  ///
  /// There is no new object if the model does not have the class any more, has it with a primary
  /// key of another type, or if the migration deleted the object. Objects that the migration
  /// creates are not among them.
  public func enumerateObjects(
    ofType className: String, _ block: MigrationObjectEnumerateBlock
  ) rethrows {
    guard let before = old.dynamic.table(named: className) else { return }
    for id in rows(of: before) {
      try block(before.object(id) as? MigrationObject, current(id, of: before))
    }
  }

  /// Makes an object of a class of the model; values may be mapped, stored, or enums.
  @discardableResult
  public func create(_ className: String, value: Any = [String: Any]()) -> MigrationObject {
    new.dynamicCreate(className, value: value)
  }

  /// Deletes an object.
  public func delete(_ object: MigrationObject) {
    guard let row = object.managedRow, row.store === old else { return new.delete(object) }
    if let current = current(row.id, of: row.table) { new.delete(current) }
  }

  /// Deletes every object of a class, also of one that the model does not have any more.
  ///
  /// Returns whether the file has the class.
  @discardableResult
  public func deleteData(forType className: String) -> Bool {
    guard let table = new.dynamic.table(named: className) else { return false }
    for id in rows(of: table) {
      if let object = table.object(id) as? MigrationObject { new.delete(object) }
    }
    return true
  }

  /// Gives a property the values that another had in the file.
  ///
  /// They are copied, and neither name follows the other from then on. Where
  /// ``ObjectBase/propertiesMapping()`` says that the new name stands for the old one, there is
  /// nothing to copy, and nothing is written.
  public func renameProperty(onType className: String, from oldName: String, to newName: String) {
    guard let before = old.dynamic.table(named: className) else { return }
    guard before.model.property(named: oldName) != nil else {
      Trap.stop(
        "Renaming '\(className).\(oldName)' to '\(newName)': the file had no such property. "
          + "It had: \(before.model.properties.map(\.name).joined(separator: ", ")).")
    }
    let declared = new.dynamic.table(named: className)?.model.property(named: newName)
    if declared?.columnName == oldName { return }
    enumerateObjects(ofType: className) { old, new in
      if let new, let value = old?[oldName] { new[newName] = value }
    }
  }

  private func rows(of table: Table) -> [RowID] {
    table.store.attempt("listing objects of '\(table.model.name)'") {
      file throws(StorageError) in try file.ids(StoreQuery(table.classID))
    }
  }

  /// The object of now that an old one was; nil if there is none, or the model has no such class.
  private func current(_ id: RowID, of before: Table) -> MigrationObject? {
    guard new.table(of: before.classID) != nil, let table = new.dynamic.table(of: before.classID)
    else { return nil }
    let row = new.attempt("reading an object of '\(table.model.name)'") {
      file throws(StorageError) in try file.row(of: table.classID, id: id)
    }
    return row.flatMap { table.object($0) as? MigrationObject }
  }
}
