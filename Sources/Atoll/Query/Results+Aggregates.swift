import AtollQuery
import AtollStorage
import AtollVocabulary

extension Results: _Aggregated {
  public func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored {
    _Stored(value(of: aggregate.predicate, column(property ?? "self", "Aggregating")))
  }

  /// The aggregate as the file computes it.
  func value(of aggregate: Predicate.Aggregate, _ way: QueryPath) -> PersistedValue {
    prepare("Aggregating '\(way.text)'")
    guard case .path(let path) = way.expression else { return .null }
    return store.attempt("aggregating '\(way.text)'") { file throws(StorageError) in
      try file.aggregate(query, aggregate, of: path)
    }
  }
}

extension LinkingObjects: _Aggregated {
  public func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored {
    if let results { return results._aggregate(aggregate, of: property) }
    return _Stored(ElementAggregate(of: []).value(of: aggregate))
  }
}

extension ValueResults: _Aggregated {
  public func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored {
    if let property, property != "self" {
      Trap.stop("Aggregating '\(property)' of '\(collection.name)', whose elements are no objects.")
    }
    collection.checkReading()
    return _Stored(
      collection.read { file throws(StorageError) in
        try file.aggregate(query, aggregate.predicate, of: PropertyPath(scope: 0))
      })
  }
}

extension CollectionBase: _Aggregated {
  /// Asks the file, of what it has as rows or values; all else is computed of the elements.
  public final func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored {
    guard let place, place.path.property.type != .embedded else {
      let name = property == "self" ? nil : property
      return _Stored(ElementAggregate(of: storedElements, at: name).value(of: aggregate))
    }
    if place.place.elementTable == nil {
      let values: ValueResults<AnyValue> = values("Aggregating")
      return values._aggregate(aggregate, of: property)
    }
    let objects: Results<Object> = objects("Aggregating")
    return objects._aggregate(aggregate, of: property)
  }

  /// The elements as they are stored, of a map the values.
  private final var storedElements: [_Stored] {
    switch input.content {
    case .list(let elements), .set(let elements): elements
    case .map(let entries): entries.map(\.value)
    case .single(let stored): [stored]
    }
  }
}
