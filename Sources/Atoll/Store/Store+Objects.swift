import AtollQuery
import AtollStorage
import AtollVocabulary

extension Store {
  /// The object of a primary key, given in mapped or in persisted form; nil if there is none.
  ///
  /// Stops if the key has neither form; ``object(checking:forPrimaryKey:)`` throws.
  public func object<T: Object>(ofType type: T.Type, forPrimaryKey key: Any?) -> T? {
    do throws(Error) { return try object(checking: type, forPrimaryKey: key) } catch {
      Trap.stop(error.message)
    }
  }

  /// The object of a primary key, as ``object(ofType:forPrimaryKey:)`` finds it.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the key has neither form of the property.
  public func object<T: Object>(
    checking type: T.Type, forPrimaryKey key: Any?
  ) throws(Error) -> T? {
    checkAccess("Looking up an object")
    let table = table(of: type, "Looking up an object")
    guard let property = table.model.primaryKey else {
      Trap.stop("Looking up an object of class '\(table.model.name)', which has no primary key.")
    }
    guard let value = property.key(from: key) else {
      throw Error(
        .invalidValue,
        "Could not convert value '\(key ?? "nil")' to type '\(property.valueType)'. "
          + "\(property.place), looking up an object.")
    }
    pin()
    let row = attempt("looking up an object of class '\(table.model.name)'") {
      file throws(StorageError) in try file.row(of: table.classID, key: value)
    }
    return row.flatMap { table.object($0) as? T }
  }

  /// The objects of a class, all of them until narrowed down by `where`.
  public func objects<T: Object>(_ type: T.Type) -> Results<T> {
    checkAccess("Querying the store")
    return Results(store: self, table: table(of: type, "Querying the store"))
  }

  /// True if the file has no object, of whatever class.
  public var isEmpty: Bool {
    checkAccess("Looking for objects")
    pin()
    return attempt("looking for objects") { file throws(StorageError) in
      for stored in try file.classes where !stored.isEmbedded {
        if !(try file.ids(StoreQuery(stored.id, limit: 1)).isEmpty) { return false }
      }
      return true
    }
  }
}

extension PropertyDescriptor {
  func key(from any: Any?) -> PersistedValue? {
    guard let any else { return .null }
    guard case .single(let stored)? = coerce(any)?.content else { return nil }
    return stored.scalar
  }
}
