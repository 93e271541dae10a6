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
  /// Properties that are found rather than stored; their slots come after those of `properties`.
  package let linking: [LinkingProperty]
  package let schema: ClassSchema

  package var isEmbedded: Bool { schema.isEmbedded }

  private init(_ type: ObjectBase.Type) {
    let name = Self.name(of: type)
    let legacy = LegacyDeclaration(type)
    let prototype = type.init()
    var properties: [PropertyDescriptor] = []
    for (field, wrapper) in Self.wrappers(of: type) {
      let property = String(field.name.dropFirst())
      if legacy.ignored.contains(property) { continue }
      let place = PropertyDescriptor.Place(
        className: name, name: property, columnName: legacy.columnName(of: property),
        slot: properties.count, offset: field.offset,
        isPrimaryKey: legacy.primaryKey == property, isIndexed: legacy.indexed.contains(property))
      properties.append(wrapper.describe(place, prototype: prototype))
    }
    linking = properties.compactMap { LinkingProperty($0, prototype: prototype) }
    properties.removeLast(linking.count)
    self.type = type
    self.name = name
    self.properties = properties
    primaryKey = properties.first(where: \.isPrimaryKey)
    schema = ClassSchema(
      name: name, isEmbedded: type is EmbeddedObject.Type, primaryKey: primaryKey?.columnName,
      properties: properties.map(\.schema))
  }

  /// Every `@Persisted` field, those of linking objects last.
  private static func wrappers(
    of type: ObjectBase.Type
  ) -> [(Reflection.Field, any AnyPersisted.Type)] {
    let found = Reflection.fields(of: type).compactMap { field in
      (field.type as? any AnyPersisted.Type).map { (field, $0) }
    }
    return found.filter { !$0.1.isLinking } + found.filter { $0.1.isLinking }
  }

  /// A class that is known from the file.
  init(named name: String, isEmbedded: Bool, properties: [PropertyDescriptor]) {
    type = DynamicObject.self
    self.name = name
    self.properties = properties
    primaryKey = properties.first(where: \.isPrimaryKey)
    linking = []
    schema = ClassSchema(
      name: name, isEmbedded: isEmbedded, primaryKey: primaryKey?.schema.name,
      properties: properties.map(\.schema))
  }

  /// The class and those that its properties lead to, at any distance.
  package var reachable: [ModelClass] {
    var found: [ModelClass] = [self]
    var next = 0
    while next < found.count {
      let model = found[next]
      for target in model.properties.compactMap(\.type.target) + model.linking.map(\.origin)
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
