package import AtollVocabulary
import Synchronization

/// A model class after it has been looked at: its name and its properties, in order.
///
/// Looked at once per process, from one instance made with `init()`.
package final class ModelClass: Sendable {
  package let type: ObjectBase.Type
  package let name: String
  package let properties: [PropertyDescriptor]
  package let primaryKey: PropertyDescriptor?
  package let schema: ClassSchema

  package var isEmbedded: Bool { schema.isEmbedded }

  private init(_ type: ObjectBase.Type) {
    let name = Self.name(of: type)
    let prototype = type.init()
    var properties: [PropertyDescriptor] = []
    for field in Reflection.fields(of: type) {
      guard let wrapper = field.type as? any AnyPersisted.Type else { continue }
      let place = PropertyDescriptor.Place(
        className: name, name: String(field.name.dropFirst()), slot: properties.count,
        offset: field.offset)
      properties.append(wrapper.describe(place, prototype: prototype))
    }
    self.type = type
    self.name = name
    self.properties = properties
    primaryKey = properties.first(where: \.isPrimaryKey)
    schema = ClassSchema(
      name: name, isEmbedded: type is EmbeddedObject.Type, primaryKey: primaryKey?.name,
      properties: properties.map(\.schema))
  }

  /// The class and those that its properties lead to, at any distance.
  package var reachable: [ModelClass] {
    var found: [ModelClass] = [self]
    var next = 0
    while next < found.count {
      for target in found[next].properties.compactMap(\.type.target)
      where !found.contains(where: { $0.type == target }) {
        found.append(ModelClass.of(target))
      }
      next += 1
    }
    return found
  }

  package func property(named name: String) -> PropertyDescriptor? {
    properties.first { $0.name == name }
  }

  // MARK: One per class

  private static let known = Mutex<[ObjectIdentifier: ModelClass]>([:])

  package static func of(_ type: ObjectBase.Type) -> ModelClass {
    if let model = known.withLock({ $0[ObjectIdentifier(type)] }) { return model }
    // Outside the lock: `init()` of a model class may make objects of others.
    let model = ModelClass(type)
    return known.withLock { models in
      if let earlier = models[ObjectIdentifier(type)] { return earlier }
      models[ObjectIdentifier(type)] = model
      return model
    }
  }

  package static func name(of type: ObjectBase.Type) -> String { String(describing: type) }
}

extension ModelClass {
  /// Stops if the class cannot be stored as it is declared; each rule with its sentence.
  package func validate() {
    if properties.filter(\.isPrimaryKey).count > 1 {
      Trap.stop("Class '\(name)' declares more than one primary key; an object has one.")
    }
    if isEmbedded, let primaryKey {
      Trap.stop(
        "Class '\(name)' is embedded and declares the primary key '\(primaryKey.name)'; "
          + "embedded objects are found through their owners and have none.")
    }
    if name.utf8.count > Limits.nameBytes {
      Trap.stop("The name of class '\(name)' is longer than \(Limits.nameBytes) bytes.")
    }
    var names: Set<String> = []
    for property in properties {
      property.validate()
      if !names.insert(property.name).inserted {
        Trap.stop(
          "\(property.place) is declared twice, in the class and in one it inherits from.")
      }
    }
  }
}

extension PropertyDescriptor {
  fileprivate func validate() {
    if name.hasPrefix("_") {
      Trap.stop("\(place): names that start with '_' belong to Atoll's own columns.")
    }
    if name.utf8.count > Limits.nameBytes {
      Trap.stop("\(place): the name is longer than \(Limits.nameBytes) bytes.")
    }
    if type.collection == .list, type.type == .embedded {
      Trap.stop("\(place): a List cannot hold embedded objects.")
    }
    if type.collection == .list, type.type == .link, type.isOptional {
      Trap.stop("\(place): a List cannot hold optional objects; write List<Model>.")
    }
  }
}
