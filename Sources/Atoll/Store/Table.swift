import AtollQuery
import AtollStorage
import AtollVocabulary

/// One model class in one open store.
final class Table {
  unowned let store: Store
  let model: ModelClass
  let stored: StoredClass
  let layout: RowLayout
  /// The meaning of names in predicates, and the number of tables that the store had then.
  private var knownScope: (scope: PredicateScope, tables: Int)?
  /// The columns that were asked for by their names, and how many tables the store had then.
  private var knownColumns: (paths: [String: PropertyPath], tables: Int) = ([:], 0)
  private static let boundOfColumns = 64
  /// Counts this store's own changes to objects of the class.
  @exclusivity(unchecked) private(set) var changes = 0
  /// The time of each row's last change in the running transaction, by `changes`.
  @exclusivity(unchecked) private(set) var changed: [RowID: Int] = [:]
  /// The first row that the running transaction created; row ids ascend.
  @exclusivity(unchecked) private var firstCreated: RowID?
  /// The dynamic interface's view that this is part of; nil for a class of the model.
  private let dynamic: DynamicClasses?
  /// Transactions that created rows and were given up.
  private var cancellations: [Cancellation] = []

  /// Rows from `first` on that were known at `version` do not exist; their ids may come again.
  private struct Cancellation {
    var version: UInt64
    var first: RowID
  }

  convenience init(store: Store, index: Int, in catalogue: RowLayout.Catalogue) {
    self.init(store, nil, index: index, in: catalogue)
  }

  convenience init(
    dynamic: DynamicClasses, index: Int, in catalogue: RowLayout.Catalogue
  ) {
    self.init(dynamic.store, dynamic, index: index, in: catalogue)
  }

  /// The class of a live store in the frozen form of that.
  init(frozen live: Table, in store: Store) {
    self.store = store
    dynamic = nil
    model = live.model
    stored = live.stored
    layout = live.layout
  }

  private init(
    _ store: Store, _ dynamic: DynamicClasses?, index: Int, in catalogue: RowLayout.Catalogue
  ) {
    self.store = store
    self.dynamic = dynamic
    model = catalogue.models[index]
    stored = catalogue.stored[index]
    layout = RowLayout(of: index, in: catalogue)
  }

  var classID: ClassID { stored.id }

  /// Returns the meaning of names in a predicate about objects of the table; worked out once.
  func predicateScope(_ make: () -> PredicateScope) -> PredicateScope {
    store.alone {
      let count = store.tables.count
      if let knownScope, knownScope.tables == count { return knownScope.scope }
      let scope = make()
      knownScope = (scope, count)
      return scope
    }
  }

  /// The column that results are ordered by; worked out once.
  func column(_ names: String, _ find: () -> PropertyPath) -> PropertyPath {
    store.alone {
      let count = store.tables.count
      if knownColumns.tables != count || knownColumns.paths.count >= Self.boundOfColumns {
        knownColumns = ([:], count)
      }
      if let known = knownColumns.paths[names] { return known }
      let column = find()
      knownColumns.paths[names] = column
      return column
    }
  }

  /// The table of a class in the same view.
  func neighbour(_ id: ClassID) -> Table? { dynamic?.table(of: id) ?? store.table(of: id) }

  /// The other tables of the same view, by index.
  func neighbour(_ index: Int) -> Table { (dynamic?.tables ?? store.tables)[index] }

  func markChanged(_ id: RowID) {
    record(id)
    counterpart?.record(id)
  }

  private func record(_ id: RowID) {
    changes += 1
    changed[id] = changes
  }

  func recordCreated(_ id: RowID) {
    if firstCreated == nil { firstCreated = id }
    if let counterpart, counterpart.firstCreated == nil { counterpart.firstCreated = id }
  }

  /// The same class in the other view, if there is one.
  private var counterpart: Table? {
    dynamic == nil ? store.dynamicClasses?.table(of: classID) : store.table(of: classID)
  }

  /// Forgets which rows changed; every cached row is out of date anyway.
  func forgetChanges() {
    changed.removeAll(keepingCapacity: false)
    firstCreated = nil
  }

  /// Called when the transaction is given up, before the store moves on to another version.
  func recordCancellation() {
    guard let firstCreated else { return }
    cancellations.append(Cancellation(version: store.version, first: firstCreated))
  }

  /// Tells whether a row known since `version` never came to be.
  func wasCancelled(_ id: RowID, knownSince version: UInt64) -> Bool {
    cancellations.contains { version <= $0.version && $0.first <= id }
  }

  /// A live object for the row; what it reads is loaded when something is read.
  ///
  /// With a page, together with the others there.
  func object(_ id: RowID, of page: RowPage? = nil) -> ObjectBase {
    object(ManagedRow(store: store, table: self, id: id, page: page))
  }

  func object(_ row: ObjectRow, of page: RowPage? = nil) -> ObjectBase {
    object(ManagedRow(store: store, table: self, row: row, page: page))
  }

  func object(_ row: ManagedRow) -> ObjectBase {
    let object = model.type.init()
    object.bindNew(to: row, layout)
    return object
  }
}

extension ObjectBase {
  /// Makes an object the accessor of a row; its wrappers point there from now on, and keep the
  /// collections they have handed out.
  final func bind(to source: RowSource, _ layout: RowLayout, _ instance: Int64) {
    point(to: source, layout, instance)
    for property in layout.model.properties { property.bind(self, keepsHandle: true) }
    for linking in layout.model.linking { linking.property.bind(self) }
  }

  /// Makes an object that was just made the accessor of a row, whatever its declaration and its
  /// `init()` gave it.
  final func bindNew(
    to source: RowSource, _ layout: RowLayout, _ instance: Int64 = RowLayout.rootInstance
  ) {
    point(to: source, layout, instance)
    let address = Unmanaged.passUnretained(self).toOpaque()
    var traits: UInt8 = 0
    for new in layout.newSlots {
      address.storeBytes(of: new.slot, toByteOffset: new.offset, as: Int32.self)
      traits |= address.load(fromByteOffset: new.traitsOffset, as: UInt8.self)
    }
    // An `init()` that fills properties need not do so each time, so that the prototype tells nothing.
    if !PersistedTraits(rawValue: traits).isDisjoint(with: .holding) {
      for property in layout.model.properties { property.bind(self) }
    }
    if layout.isPlain { return }
    for property in layout.heldProperties { property.bind(self) }
    for linking in layout.model.linking { linking.property.bind(self) }
    // Several threads may read the object, so that nothing of it may be made at the first reading.
    if !layout.handleProperties.isEmpty, source.row?.store.isFrozen == true {
      for property in layout.handleProperties { property.keepHandle(of: self) }
    }
  }

  private final func point(to source: RowSource, _ layout: RowLayout, _ instance: Int64) {
    self.source = source
    uncountedLayout = .passUnretained(layout)
    self.instance = instance
    isManaged = true
  }
}
