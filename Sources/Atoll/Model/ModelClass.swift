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
    let legacy = LegacyDeclaration(type)
    let prototype = type.init()
    var properties: [PropertyDescriptor] = []
    for field in Reflection.fields(of: type) {
      guard let wrapper = field.type as? any AnyPersisted.Type else { continue }
      let property = String(field.name.dropFirst())
      if legacy.ignored.contains(property) { continue }
      let place = PropertyDescriptor.Place(
        className: name, name: property, columnName: legacy.columnName(of: property),
        slot: properties.count, offset: field.offset,
        isPrimaryKey: legacy.primaryKey == property, isIndexed: legacy.indexed.contains(property))
      properties.append(wrapper.describe(place, prototype: prototype))
    }
    self.type = type
    self.name = name
    self.properties = properties
    primaryKey = properties.first(where: \.isPrimaryKey)
    schema = ClassSchema(
      name: name, isEmbedded: type is EmbeddedObject.Type, primaryKey: primaryKey?.columnName,
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

  /// The property of a public name.
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

  package static func name(of type: ObjectBase.Type) -> String { type.className() }
}
