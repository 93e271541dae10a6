import AtollStorage
import AtollVocabulary

/// The layout of a model class's properties in a row.
///
/// A row is flat: what an object embeds has its columns in the owner's row. So there is one layout
/// for a class on its own, and one for each place where it is embedded.
final class RowLayout {
  /// One property, by index in ``ModelClass/properties``.
  enum Slot {
    case key
    case scalar(column: Int, StoredProperty)
    /// `table` is the index of the target class in ``Store/tables``.
    case link(column: Int, StoredProperty, table: Int)
    /// `presence` is the column that tells whether anything is embedded.
    case embedded(presence: Int, StoredProperty, RowLayout)
    /// A list, set or map; `elementTable` is the class of elements that are objects.
    case collection(StoredProperty, elementTable: Int?)

    /// The property as stored; nil for keys, which are no cells.
    var property: StoredProperty? {
      switch self {
      case .key: nil
      case .scalar(_, let property), .link(_, let property, _), .embedded(_, let property, _),
        .collection(let property, _):
        property
      }
    }
  }

  let model: ModelClass
  let slots: [Slot]
  /// The column of each slot that holds a value; nil for the others.
  let scalarColumns: [Int?]
  /// The slots whose values the application may hold: collections, embedded objects, any-typed ones.
  let handleSlots: [Int]
  /// The wrappers that the declaration leaves empty in a new object, and the properties whose
  /// wrappers it fills.
  let newSlots: [PropertyDescriptor.NewSlot]
  let heldProperties: [PropertyDescriptor]
  /// The properties that are collections.
  let handleProperties: [PropertyDescriptor]
  /// True if a new object needs nothing but ``newSlots``.
  let isPlain: Bool
  /// True if a value of the class can name other objects, or hold some.
  let leadsToObjects: Bool
  /// From the row's object to the one laid out.
  let steps: [FieldPath.Step]
  /// The column that tells whether this embedded object is there, and which one; nil for the row's
  /// own object.
  let presence: Int?

  /// The instance of what is no slot.
  static let rootInstance: Int64 = 0
  /// The instance of an embedded object that came with its row.
  static let firstInstance: Int64 = 1

  private init(model: ModelClass, slots: [Slot], steps: [FieldPath.Step], presence: Int?) {
    self.model = model
    self.slots = slots
    scalarColumns = slots.map { if case .scalar(let column, _) = $0 { column } else { nil } }
    self.steps = steps
    self.presence = presence
    newSlots = model.properties.compactMap(\.newSlot)
    heldProperties = model.properties.filter { $0.newSlot == nil }
    handleProperties = model.properties.filter { $0.type.collection != .none }
    isPlain = heldProperties.isEmpty && handleProperties.isEmpty && model.linking.isEmpty
    leadsToObjects = slots.indices.contains { index in
      switch slots[index] {
      case .key: false
      case .scalar: model.properties[index].type.type == .any
      case .link, .embedded, .collection: true
      }
    }
    handleSlots = slots.indices.filter { index in
      switch slots[index] {
      case .embedded: !model.properties[index].type.isMapped
      case .collection: true
      case .scalar: model.properties[index].type.type == .any
      case .key, .link: false
      }
    }
  }

  func path(to property: StoredProperty) -> FieldPath {
    FieldPath(steps: steps, property: property)
  }

  /// Returns the instance of the embedded object of a row here; nil if there is none.
  func instance(in columns: [PersistedValue]) -> Int64? {
    guard let presence else { return Self.rootInstance }
    guard case .int(let instance) = columns[presence] else { return nil }
    return instance
  }

  /// Tells whether a row has that very embedded object here.
  @inline(__always)
  func holds(_ instance: Int64, in columns: [PersistedValue]) -> Bool {
    presence == nil || self.instance(in: columns) == instance
  }
}

extension RowLayout {
  /// The classes of one store: as declared, as stored, and by which index they are found.
  struct Catalogue {
    var models: [ModelClass]
    var stored: [StoredClass]
    var indices: [ObjectIdentifier: Int]

    init(models: [ModelClass], stored: [StoredClass]) {
      self.models = models
      self.stored = stored
      indices = Dictionary(
        models.enumerated().map { (ObjectIdentifier($1.type), $0) }, uniquingKeysWith: { a, _ in a }
      )
    }

    func index(of type: ObjectBase.Type) -> Int? { indices[ObjectIdentifier(type)] }

    func index(of id: ClassID) -> Int? { stored.firstIndex { $0.id == id } }
  }

  /// The layout of the class at `index` in rows of its own.
  convenience init(of index: Int, in catalogue: Catalogue) {
    self.init(of: index, under: [], in: catalogue.stored[index], presence: nil, catalogue)
  }

  private convenience init(
    of index: Int, under way: [StoredProperty], in root: StoredClass, presence: Int?,
    _ catalogue: Catalogue
  ) {
    let model = catalogue.models[index]
    if way.count > Limits.nestingDepth {
      Trap.stop("Class '\(model.name)' contains itself: a row cannot hold it.")
    }
    let builder = Builder(way: way, root: root, stored: catalogue.stored[index], catalogue)
    self.init(
      model: model, slots: model.properties.map(builder.slot), steps: way.map { .slot($0) },
      presence: presence)
  }

  /// Finds the slots of one class in one place.
  private struct Builder {
    var way: [StoredProperty]
    var root: StoredClass
    var stored: StoredClass
    var catalogue: Catalogue

    init(way: [StoredProperty], root: StoredClass, stored: StoredClass, _ catalogue: Catalogue) {
      self.way = way
      self.root = root
      self.stored = stored
      self.catalogue = catalogue
    }

    func slot(_ property: PropertyDescriptor) -> Slot {
      if property.isPrimaryKey { return .key }
      guard
        let found = stored.property(
          named: property.columnName, type: property.type.type, collection: property.type.collection
        )
      else { Trap.stop("\(property.place) is not in the store it was declared to.") }
      if property.type.collection != .none {
        return .collection(found, elementTable: found.target.map { target($0, property) })
      }
      guard let column = root.column(way + [found]) else {
        Trap.stop("\(property.place) has no column: its class contains itself.")
      }
      return slot(property, found, column)
    }

    private func slot(
      _ property: PropertyDescriptor, _ found: StoredProperty, _ column: Int
    ) -> Slot {
      guard let id = found.target else { return .scalar(column: column, found) }
      let index = target(id, property)
      if property.type.type == .link { return .link(column: column, found, table: index) }
      return .embedded(
        presence: column, found,
        RowLayout(of: index, under: way + [found], in: root, presence: column, catalogue))
    }

    private func target(_ id: ClassID, _ property: PropertyDescriptor) -> Int {
      guard let index = catalogue.index(of: id) else {
        Trap.stop(
          "\(property.place) is of class '\(property.schema.target ?? "")', which is not among the "
            + "store's objectTypes. Add it there.")
      }
      return index
    }
  }
}
