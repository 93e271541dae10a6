import AtollStorage

// Handing the results of queries over to another store of the file.

extension Results: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let description = QueryDescription(self, isOwn: false)
    return _HandedOver { store in description.results(in: store) }
  }

  /// True if the store was closed, or the version of frozen results was ended.
  public var isInvalidated: Bool { store.isInvalidated }
}

extension LinkingObjects: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let originProperty = originProperty
    let description = QueryDescription(_objects("Handing over"), isOwn: false)
    return _HandedOver { store in
      LinkingObjects(originProperty: originProperty, results: description.results(in: store))
    }
  }

  /// True if the store was closed, or the version of frozen objects was ended.
  public var isInvalidated: Bool { results?.isInvalidated ?? false }
}

extension ValueResults: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let start = CollectionStart(of: collection)
    let query = query
    return _HandedOver { store in
      guard let collection = start.collection(in: store), collection.isAlive else { return nil }
      return ValueResults(collection, query)
    }
  }

  /// True if what the values are of was deleted or replaced.
  public var isInvalidated: Bool { !collection.isAlive }
}

extension SectionedResults: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let description = QueryDescription(results, isOwn: false)
    let (areRuns, read) = (areRuns, read)
    return _HandedOver { store in
      SectionedResults(description.results(in: store), areRuns: areRuns, read)
    }
  }

  /// True if the store was closed, or the version of frozen sections was ended.
  public var isInvalidated: Bool { store.isInvalidated }
}

extension ResultsSection: ThreadConfined {
  public var _confiningStore: Store? { sections.store }

  public func _handingOver() -> _HandedOver {
    let (key, sections) = (key, sections._handingOver())
    return _HandedOver { store in
      (sections.find(store) as? SectionedResults<Key, Element>)?.section(key)
    }
  }

  /// True if the store was closed, or the version of a frozen section was ended.
  public var isInvalidated: Bool { sections.isInvalidated }
}

extension ProjectedResults: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let objects = objects._handingOver()
    return _HandedOver { store in
      (objects.find(store) as? Results<Element.Root>).map { ProjectedResults(objects: $0) }
    }
  }

  /// True if the store was closed, or the version of frozen results was ended.
  public var isInvalidated: Bool { objects.isInvalidated }
}

extension ObservableProjection {
  public var _confiningStore: Store? { rootObject.store }

  public func _handingOver() -> _HandedOver {
    let object = rootObject._handingOver()
    return _HandedOver { store in
      (object.find(store) as? Root).map { Self(projecting: $0) }
    }
  }
}
