import AtollStorage

// Freezing and thawing of queries' results.

extension Results {
  /// True if the results are those of one version for good, and may be used anywhere.
  public var isFrozen: Bool { store.isFrozen }

  /// The results as they are in the version that their store shows; see ``Store/freeze()``.
  public func freeze() -> Results {
    if isFrozen { return self }
    prepare("Freezing results")
    guard let frozen = counterpart(in: store.freeze()) else {
      Trap.stop("Freezing results of '\(name)', which the version does not have.")
    }
    return frozen
  }

  /// The live results; nil if the live store does not have the class.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> Results? {
    isFrozen ? counterpart(in: store.thawed(in: isolation)) : self
  }

  private func counterpart(in store: Store) -> Results? {
    table.counterpart(in: store).map { Results(store: store, table: $0, query: query) }
  }
}

extension ValueResults {
  /// True if the values are those of one version for good, and may be used anywhere.
  public var isFrozen: Bool { store.isFrozen }

  /// The values as they are in the version that their store shows; see ``Store/freeze()``.
  public func freeze() -> ValueResults {
    if isFrozen { return self }
    store.checkAccess("Freezing values of '\(collection.name)'")
    guard let frozen = collection.counterpart(in: store.freeze()) else {
      Trap.stop("Freezing values of '\(collection.name)' of an object that was deleted.")
    }
    return ValueResults(frozen, query)
  }

  /// The live values; nil if the object was deleted.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> ValueResults? {
    if !isFrozen { return self }
    return collection.counterpart(in: store.thawed(in: isolation)).map { ValueResults($0, query) }
  }
}

extension LinkingObjects {
  /// True if these are the objects of one version for good, and may be used anywhere.
  public var isFrozen: Bool { results?.isFrozen ?? false }

  /// The objects that link in the version that the store shows; see ``Store/freeze()``.
  public func freeze() -> LinkingObjects {
    LinkingObjects(originProperty: originProperty, results: _objects("Freezing").freeze())
  }

  /// The live objects; nil if the live store does not have the class.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> LinkingObjects? {
    results?.thaw(isolation: isolation).map {
      LinkingObjects(originProperty: originProperty, results: $0)
    }
  }
}

extension SectionedResults {
  /// True if the sections are those of one version for good, and may be used anywhere.
  public var isFrozen: Bool { results.isFrozen }

  /// The sections as they are in the version that their store shows; see ``Store/freeze()``.
  ///
  /// A function by which objects are in sections is called wherever the frozen sections are read.
  public func freeze() -> SectionedResults {
    isFrozen ? self : SectionedResults(results.freeze(), areRuns: areRuns, read)
  }

  /// The live sections; nil if the live store does not have the class.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> SectionedResults? {
    if !isFrozen { return self }
    return results.thaw(isolation: isolation).map { SectionedResults($0, areRuns: areRuns, read) }
  }
}

extension ResultsSection {
  /// True if the section is of one version for good, and may be used anywhere.
  public var isFrozen: Bool { sections.isFrozen }

  /// The section of this key in the version that its store shows; see ``Store/freeze()``.
  ///
  /// Stops if there is none any more.
  public func freeze() -> ResultsSection {
    if isFrozen { return self }
    guard let section = sections.freeze().section(key) else {
      Trap.stop("Freezing the section '\(key)', which is not there any more.")
    }
    return section
  }

  /// The live section of this key; nil if there is none any more.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> ResultsSection? {
    isFrozen ? sections.thaw(isolation: isolation)?.section(key) : self
  }
}

extension ProjectedResults {
  /// True if the results are those of one version for good, and may be used anywhere.
  public var isFrozen: Bool { objects.isFrozen }

  /// The results as they are in the version that their store shows; see ``Store/freeze()``.
  public func freeze() -> ProjectedResults { ProjectedResults(objects: objects.freeze()) }

  /// The live results; nil if the live store does not have the class.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> ProjectedResults? {
    objects.thaw(isolation: isolation).map { ProjectedResults(objects: $0) }
  }
}

extension ObservableProjection {
  /// True if the projected object shows one version for good, and may be used anywhere.
  public var isFrozen: Bool { rootObject.isFrozen }

  /// The projection of the object as it is now, for good; see ``Store/freeze()``.
  public func freeze() -> Self { isFrozen ? self : Self(projecting: rootObject.freeze()) }

  /// The projection of the live object; nil if it was deleted.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> Self? {
    if !isFrozen { return self }
    return rootObject.thaw(isolation: isolation).map { Self(projecting: $0) }
  }
}
