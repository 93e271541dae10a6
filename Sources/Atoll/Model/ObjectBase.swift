/// The common part of ``Object`` and ``EmbeddedObject``.
///
/// An object is *unmanaged* until a store takes it: its properties hold what they are given. Once
/// *managed* it is a live accessor: its wrappers hold nothing but their place, and every read and
/// write goes through `source` to the row.
open class ObjectBase {
  /// True if `source` and `layout` are set.
  @exclusivity(unchecked) @usableFromInline final var isManaged = false
  /// The row of a managed object; an embedded object shares its owner's.
  @exclusivity(unchecked) final var source: RowSource?
  /// The layout of the properties in that row.
  ///
  /// Not counted, because every object that a loop goes through has one: the store keeps its layouts
  /// as long as it is there, and `source` keeps the store.
  @exclusivity(unchecked) final var uncountedLayout: Unmanaged<RowLayout>?
  /// The instance of the embedded object in its slot; ``RowLayout/rootInstance`` elsewhere.
  @exclusivity(unchecked) final var instance = RowLayout.rootInstance

  /// Makes an unmanaged object; a class that sets things up overrides it.
  public init() {}

  /// Makes an object of a class that is known at run time only, as `type.init()` does.
  ///
  /// Every class inherits it that has ``init()``; a class whose designated initializers all have
  /// arguments needs `override init()` beside them.
  public required convenience init(_needsPlainInit: Void = ()) { self.init() }

  /// The name under which a store knows the class: that of the type, without what it is nested in.
  ///
  /// Override it where two classes would have one name.
  open class func className() -> String { String(describing: self) }

  /// Names in the file, by property, for properties that have another name there.
  ///
  /// The public name, the one in Swift, is what queries, sort descriptors and the schema use; the
  /// other is what the file and the peers know.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// Names of `@Persisted` properties that are not stored; what is not `@Persisted` never is.
  open class func ignoredProperties() -> [String] { [] }

  /// Names of properties to index, besides those declared with `@Persisted(indexed: true)`.
  open class func indexedProperties() -> [String] { [] }

  /// Tells whether stores have the class whose configuration names no `objectTypes`.
  ///
  /// A class that is only there to be the base of others, or of a store of its own, says false.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }

  /// The class and the properties, one a line, with what they hold, five objects deep.
  ///
  /// A class may describe its objects otherwise. Inside other objects they keep this form.
  open var description: String { fullDescription }

  /// Tells whether `object` is an equal object, as `==` asks.
  ///
  /// Objects are equal if they are one; managed objects with a primary key, and frozen ones, if they
  /// are the same object of a store. A class that compares otherwise overrides ``hash``, too.
  open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ObjectBase else { return false }
    if self === other { return true }
    guard let first = keyedRow, let second = other.keyedRow else { return false }
    return first.isSame(as: second)
  }

  /// The value that ``hash(into:)`` combines; equal for objects that are ``isEqual(_:)``.
  open var hash: Int { keyedRow?.id.hashValue ?? ObjectIdentifier(self).hashValue }
}

extension ObjectBase {
  final var layout: RowLayout? { uncountedLayout?.takeUnretainedValue() }

  final var managedRow: ManagedRow? { source as? ManagedRow }

  /// True if the object was deleted, or replaced where it was embedded, or never came to be because
  /// its transaction was cancelled; of a frozen one, whether its version was ended.
  ///
  /// Reading any property of such an object stops the process.
  public final var isInvalidated: Bool {
    guard let source, let layout else { return false }
    return !source.isAlive(layout, instance)
  }

  /// The class's properties as declared.
  public final var objectSchema: ObjectSchema { ObjectSchema(model) }
}

// Of a protocol, so that models can have a property of that name.
extension ObservableObjectBase {
  /// The store that manages this object; nil for an unmanaged one.
  public var store: Store? { source?.row?.store }
}

extension ObjectBase: Hashable {
  /// Tells whether the objects are equal, as ``isEqual(_:)`` of the first tells.
  public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isEqual(b) }

  /// Combines ``hash``.
  public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Tells whether both are the same managed object, with or without a primary key.
  public final func isSameObject(as other: ObjectBase?) -> Bool {
    guard let other else { return false }
    if self === other { return true }
    guard isManaged, other.isManaged, let source, let theirs = other.source else { return false }
    return source.isSame(as: theirs) && layout === other.layout && instance == other.instance
  }

  private final var keyedRow: ManagedRow? {
    guard let row = managedRow, layout === row.table.layout,
      row.table.model.primaryKey != nil || row.store.isFrozen
    else { return nil }
    return row
  }
}
