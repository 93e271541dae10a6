import AtollStorage

extension Store {
  /// Takes an object, and every object it links to, into the store.
  ///
  /// The object is live from then on. Nothing happens if this store manages it already. With an
  /// `update` policy an object of the same primary key is written to instead, here and wherever the
  /// object leads, and the instance becomes its accessor. Stops where ``add(checking:update:)-(Object,_)``
  /// throws.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    do throws(Error) { try add(checking: object, update: update) } catch {
      Trap.stop(error.message)
    }
  }

  /// Takes objects into the store; see ``add(_:update:)-(Object,_)``.
  public func add<S: Sequence>(
    _ objects: S, update: UpdatePolicy = .error
  ) where S.Element: Object {
    for object in objects { add(object, update: update) }
  }

  /// Takes an object into the store, as ``add(_:update:)-(Object,_)`` does.
  ///
  /// - Throws: ``Store/Error/Code/duplicatePrimaryKey`` if an object of its primary key exists,
  ///   ``Store/Error/Code/invalidObject`` if another store manages an object of the graph or one was
  ///   deleted; the store is as before, except for objects it links to that were added first.
  public func add(checking object: Object, update: UpdatePolicy = .error) throws(Error) {
    checkAccess("Adding an object")
    try add(update, isCopying: false) { () throws(AdditionFailure) in
      if update != .error { try checkKey(of: object.model) }
      try insert(object)
    }
  }

  /// Takes objects into the store; see ``add(checking:update:)-(Object,_)``.
  public func add<S: Sequence>(
    checking objects: S, update: UpdatePolicy = .error
  ) throws(Error) where S.Element: Object {
    for object in Array(objects) { try add(checking: object, update: update) }
  }

  /// Makes an object from a dictionary by property name, an array in the order of declaration,
  /// another object, or an `Encodable` that encodes to one of these.
  ///
  /// Values may be in mapped or in persisted form; a persisted value that does not convert is
  /// stored as it is. Dictionaries and arrays in the place of objects make these; objects that this
  /// store does not manage are copied. What is not given has its default, or stays as it is in an
  /// object that the `update` policy lets be written to. Stops where
  /// ``create(checking:value:update:)`` throws.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> T {
    do throws(Error) {
      return try create(checking: type, value: value, update: update)
    } catch {
      Trap.stop(error.message)
    }
  }

  /// Makes an object as ``create(_:value:update:)`` does.
  ///
  /// - Throws: ``Store/Error/Code/duplicatePrimaryKey`` if an object of the primary key exists,
  ///   ``Store/Error/Code/invalidValue`` if a value has neither form of its property, or a property
  ///   without a value has no default.
  @discardableResult
  public func create<T: Object>(
    checking type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) throws(Error) -> T {
    checkAccess("Creating an object")
    requireTransaction("Creating an object of class '\(ModelClass.name(of: type))'")
    let object = type.draft(of: value)
    try add(update, isCopying: true) { () throws(AdditionFailure) in
      if update != .error { try checkKey(of: object.model) }
      if let source = value as? T { addition.copies[Addition.Original(source)] = object }
      try insert(object)
    }
    return object
  }

  private func add(
    _ policy: UpdatePolicy, isCopying: Bool, _ body: () throws(AdditionFailure) -> Void
  ) throws(Error) {
    let outer = addition
    addition = Addition(policy: policy, isCopying: isCopying)
    defer { addition = outer }
    do throws(AdditionFailure) { try body() } catch { throw Error(error) }
  }

  private func checkKey(of model: ModelClass) throws(AdditionFailure) {
    if model.primaryKey != nil { return }
    throw .refused(
      Error(
        .invalidValue,
        "'\(model.name)' does not have a primary key and can not be updated. "
          + "Declare one, or leave the update policy out."))
  }
}
