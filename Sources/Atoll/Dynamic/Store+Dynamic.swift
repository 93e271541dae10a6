import AtollStorage
import AtollVocabulary

extension Store {
  /// The classes of the store: those of the model, and those that the file knows besides.
  public var schema: Schema {
    checkAccess("Reading the schema")
    let others = dynamic.tables.filter {
      table(of: $0.classID) == nil && dynamicRecord?.classes.contains($0.classID) != false
    }
    return Schema(objectSchema: (tables + others).map { ObjectSchema($0.model) })
  }

  /// The classes of the model.
  var declaredSchema: Schema { Schema(objectSchema: tables.map { ObjectSchema($0.model) }) }

  /// The objects of a class that is known by name, whether or not the program declares it.
  ///
  /// Stops if neither the program nor the file has the class.
  public func dynamicObjects(_ className: String) -> Results<DynamicObject> {
    checkAccess("Querying the store")
    return Results(store: self, table: dynamicTable(className, "Querying the store"))
  }

  /// The object of a primary key, of a class that is known by name; nil if there is none.
  public func dynamicObject(
    ofType className: String, forPrimaryKey key: Any?
  ) -> DynamicObject? {
    checkAccess("Looking up an object")
    let table = dynamicTable(className, "Looking up an object")
    guard let property = table.model.primaryKey else {
      Trap.stop("Looking up an object of class '\(className)', which has no primary key.")
    }
    guard let value = property.key(from: key) else { property.stopUnfit(key as Any) }
    pin()
    let row = attempt("looking up an object of class '\(className)'") {
      file throws(StorageError) in try file.row(of: table.classID, key: value)
    }
    return row.flatMap { table.object($0) as? DynamicObject }
  }

  /// Makes an object of a class that is known by name; see ``create(_:value:update:)``.
  ///
  /// A class of the model is made as the model declares it, with its defaults. Stops where
  /// ``dynamicCreate(checking:value:update:)`` throws.
  @discardableResult
  public func dynamicCreate(
    _ className: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> DynamicObject {
    do throws(Error) {
      return try dynamicCreate(checking: className, value: value, update: update)
    } catch {
      Trap.stop(error.message)
    }
  }

  /// Makes an object as ``dynamicCreate(_:value:update:)`` does.
  ///
  /// - Throws: What ``create(checking:value:update:)`` throws.
  @discardableResult
  public func dynamicCreate(
    checking className: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) throws(Error) -> DynamicObject {
    checkAccess("Creating an object")
    let table = dynamicTable(className, "Creating an object")
    if let type = self.table(of: table.classID)?.model.type as? Object.Type {
      let made = try create(checking: type, value: value, update: update)
      return dynamic(made, table)
    }
    let object = try DynamicObject(table.model, value: value)
    try add(checking: object, update: update)
    return object
  }

  private func dynamic(_ object: Object, _ table: Table) -> DynamicObject {
    guard let row = object.managedRow, let made = table.object(row.id) as? DynamicObject else {
      Trap.stop("An object of class '\(table.model.name)' was made and is not there.")
    }
    return made
  }

  func dynamicTable(_ className: String, _ doing: @autoclosure () -> String) -> Table {
    if let table = dynamic.table(named: className), !table.model.isEmbedded { return table }
    let names = dynamic.tables.filter { !$0.model.isEmbedded }.map(\.model.name)
    Trap.stop(
      "\(doing()): neither the program nor the file has a class '\(className)'. "
        + "There are: \(names.joined(separator: ", ")).")
  }

  /// Every class of the file in its present state.
  var dynamic: DynamicClasses {
    alone {
      let stored = attempt("reading the file's classes") { file throws(StorageError) in
        try file.classes
      }
      if let known = dynamicClasses, known.stored == stored { return known }
      let made = DynamicClasses(self, stored, record: dynamicRecord)
      dynamicClasses = made
      return made
    }
  }

  /// The table of an object that is not managed yet.
  func table(of object: ObjectBase, _ doing: @autoclosure () -> String) -> Table {
    guard let object = object as? DynamicObject, let model = object.declared else {
      return table(of: type(of: object), doing())
    }
    if let table = dynamicClasses?.tables.first(where: { $0.model === model }) { return table }
    return dynamicTable(model.name, doing())
  }

  /// The model's table of a class of the file.
  func table(of id: ClassID) -> Table? { tables.first { $0.classID == id } }

  /// The tables of the model and those of the dynamic interface.
  var allTables: [Table] { tables + (dynamicClasses?.tables ?? []) }
}
