/// A light view of an object: some of its properties, or of what it leads to, under names of one's
/// own.
///
/// ```swift
/// final class PersonProjection: Projection<Person> {
///   @Projected(\Person.firstName) var name
///   @Projected(\Person.address?.city) var city
///   @Projected(\Person.friends.projectTo.firstName) var friends
/// }
/// for person in store.objects(PersonProjection.self) { print(person.name, person.city ?? "") }
/// ```
///
/// A read returns the object's present state, and a write goes to the object. A projection belongs
/// where its object does. Two projections of one class are equal if their objects are.
open class Projection<Root: ObjectBase> {
  /// The object behind the projection.
  public final let rootObject: Root

  /// The projection of an object.
  public required init(projecting object: Root) { rootObject = object }

  /// The store of the object; nil if none manages it.
  public final var store: Store? { rootObject.store }

  /// True if the object was deleted.
  public final var isInvalidated: Bool { rootObject.isInvalidated }
}

extension Projection: Hashable {
  public static func == (a: Projection, b: Projection) -> Bool {
    type(of: a) == type(of: b) && (a.rootObject == b.rootObject || a.isSameObject(as: b))
  }

  public final func hash(into hasher: inout Hasher) {
    if let row = rootObject.managedRow {
      hasher.combine(row.id)
    } else {
      hasher.combine(ObjectIdentifier(rootObject))
    }
  }

  private func isSameObject(as other: Projection) -> Bool {
    rootObject.isSameObject(as: other.rootObject)
  }
}

extension Projection: CustomStringConvertible {
  /// The class and the projected properties, one a line.
  public final var description: String {
    let lines = ProjectedProperty.all(of: type(of: self)).map {
      "\t\($0.name) = \(unwrapped($0.value(of: self)) ?? "nil");\n"
    }
    return "\(type(of: self)) <\(rootObject.shortDescription)> {\n\(lines.joined())}"
  }
}

/// Makes a property of a ``Projection`` stand for what a key path leads to.
///
/// A property can be written if the key path can, or if it leads through persisted properties only.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
  let path: KeyPath<Root, Value>

  /// Projects what `path` leads to from the object.
  public init(_ path: KeyPath<Root, Value>) { self.path = path }

  @available(*, unavailable, message: "@Projected is for properties of Projection classes")
  public var wrappedValue: Value {
    get { fatalError("unreachable") }
    set { fatalError("unreachable: \(newValue)") }
  }

  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get { owner.rootObject[keyPath: owner[keyPath: storage].path] }
    set { owner[keyPath: storage].assign(newValue, to: owner.rootObject) }
  }

  private func assign(_ value: Value, to object: Root) {
    if let path = path as? ReferenceWritableKeyPath<Root, Value> {
      object[keyPath: path] = value
    } else {
      object.setValue(value, forKeyPath: KeyPathNames.text(of: path))
    }
  }
}
