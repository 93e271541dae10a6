import AtollQuery
import AtollStorage
import AtollVocabulary

/// A property of a model class whose value is the objects that link to it.
package struct LinkingProperty: Sendable {
  /// Its slot comes after those of the stored properties.
  let property: PropertyDescriptor
  /// The class that links, and by which property.
  let origin: Object.Type
  let originProperty: String

  var name: String { property.name }

  /// Nil for a property that is stored.
  init?(_ property: PropertyDescriptor, prototype: ObjectBase) {
    guard let type = property.valueType as? any AnyLinkingObjects.Type,
      let value = property.anyValue(of: prototype) as? any AnyLinkingObjects
    else { return nil }
    self.property = property
    origin = type.origin
    originProperty = value.originProperty
  }

  func anyValue(of object: ObjectBase) -> Any { property.anyValue(of: object) }

  /// Stops unless the other class has the property and links here by it.
  func validate(in model: ModelClass) {
    let name = ModelClass.name(of: origin)
    let found = ModelClass.of(origin).property(named: originProperty)
    guard let found else {
      Trap.stop(
        "\(property.place): class '\(name)' has no property '\(originProperty)' to link by.")
    }
    let isHere = found.type.target == model.type || isInherited(by: model, from: found.type.target)
    guard isHere, !found.type.isMapped else {
      Trap.stop("\(property.place): \(found.place) does not link to '\(model.name)'.")
    }
  }
}

extension LinkingProperty {
  /// Tells whether the class has it from one above that the links lead to; its own objects then have none.
  private func isInherited(by model: ModelClass, from target: ObjectBase.Type?) -> Bool {
    guard let target, ModelClass.of(target).linkingProperty(named: name) != nil else {
      return false
    }
    var type: AnyClass? = model.type
    while let next = type, next != target { type = _getSuperclass(next) }
    return type != nil
  }
}

extension ModelClass {
  func linkingProperty(named name: String) -> LinkingProperty? {
    linking.first { $0.name == name }
  }
}

extension _Cell {
  /// Returns the objects that link to this one; the cell is that of a ``LinkingProperty``.
  func linkingObjects<Element: Object>() -> LinkingObjects<Element> {
    let model = object.model
    let linking = model.linking[slot - model.properties.count]
    (object.source as? KeyPathRecorder)?.recordFound(linking.property, of: object)
    let results = object.source?.row.flatMap { row -> Results<Element>? in
      let table = row.store.table(of: linking.origin, "Reading \(linking.property.place)")
      guard let property = table.model.property(named: linking.originProperty),
        let step = table.step(to: property)
      else { return nil }
      row.check("Reading \(linking.property.place)")
      let isLinked =
        model.isEmbedded ? row.isOwner(by: step, object) : row.isLinked(from: step, object)
      let query = StoreQuery(table.classID, where: isLinked)
      return Results(store: row.store, table: table, query: query)
    }
    return LinkingObjects(originProperty: linking.originProperty, results: results)
  }
}

extension ManagedRow {
  /// Returns the condition on objects that link to an object of this row by `step`.
  fileprivate func isLinked(from step: StoredProperty, _ object: ObjectBase) -> Predicate {
    let this = Predicate.Expression.object(id, of: table.classID)
    if step.collection == .none { return .comparison(PropertyPath([step]), .equal, this) }
    return .exists(PropertyPath([step]), .comparison(PropertyPath(scope: 1), .equal, this))
  }

  /// Returns the condition on the object of this row alone, if it embeds another by `step`.
  fileprivate func isOwner(by step: StoredProperty, _ object: ObjectBase) -> Predicate {
    let steps = (object.source?.steps ?? []) + (object.layout?.steps ?? [])
    switch steps.first {
    case .slot(step)? where steps.count == 1, .element(step, _)? where steps.count == 1: break
    case .slot, .element, nil: return .never
    }
    return .comparison(PropertyPath(scope: 0), .equal, .object(id, of: table.classID))
  }
}
