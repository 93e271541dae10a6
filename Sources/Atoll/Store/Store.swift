import AtollStorage
import AtollVocabulary
public import Dispatch
public import Foundation

/// One open store: the objects of a file, live.
///
/// ```swift
/// let store = try Store(configuration: .init(fileURL: url))
/// try store.write { store.add(airport) }
/// for airport in store.objects(Airport.self).where({ $0.country.code == "CH" }) { … }
/// ```
///
/// A store and everything that comes from it belong to the thread that opened it, or to the serial
/// queue or the actor it was opened for; use elsewhere stops the process with a message. What a store
/// shows stays as it is until ``refresh()``, a write, or a notification; only if it has kept the
/// write-ahead log from being shortened for so long that it holds 32 MiB, it moves forward by itself.
public final class Store {
  /// The configuration it was opened with.
  public let configuration: Configuration
  /// True if the store shows one version for good, and may be used anywhere; see ``freeze()``.
  public let isFrozen: Bool
  @exclusivity(unchecked) private(set) var file: StoreFile
  @exclusivity(unchecked) private(set) var confinement: Confinement
  let commitSignal: CommitSignal
  @exclusivity(unchecked) private(set) var tables: [Table] = []
  /// The classes as the dynamic interface sees them, once somebody asked.
  var dynamicClasses: DynamicClasses?
  /// The parts of the file that a model last used, for the state before a migration.
  let dynamicRecord: SchemaRecord?
  @exclusivity(unchecked) private var catalogue = RowLayout.Catalogue(models: [], stored: [])

  // MARK: State that the extensions keep

  // Every read and write asks here; confined to one thread, and never accessed twice at once.

  /// Counts the states of the file that this store has shown; cached rows name theirs.
  @exclusivity(unchecked) var version: UInt64 = 1
  /// Counts everything that can change what a query answers: versions and own changes.
  @exclusivity(unchecked) var changeCount: UInt64 = 1
  /// The commit that `version` shows.
  var commitNumber = CommitNumber(0)
  /// ``CommitSignal/revision`` when the store last moved on for its observers.
  var shownRevision: UInt64 = 0
  /// True if a store of a queue, an actor or the main thread moves on by itself, in a turn between two others,
  /// when somebody has committed.
  ///
  /// Otherwise it moves on at ``refresh()`` and when a transaction begins, as a store of another thread always
  /// does, and observers that are called where it belongs are told then.
  public var autorefresh = true
  /// The reads that Swift's own observation has to know.
  let tracking = ReadTracking()
  private var commitFollower: CommitFollower?
  var pendingWrites: PendingWrites?
  /// Asynchronous writes of tasks that wait or run.
  var runningAsyncWrites = 0
  /// The observers that are called on the store's own queue.
  weak var ownObservers: ObserverQueue?
  /// The effects that the observers which took turns last read from the file.
  var recentEffects: (after: CommitNumber, upTo: CommitNumber, effects: CommitEffects)?
  @exclusivity(unchecked) var isPinned = false
  /// The number of times that the snapshot had been moved forward from outside when ``version`` was
  /// taken.
  @exclusivity(unchecked) var versionMoves: UInt64 = 0
  /// The error of a plain assignment; the commit throws it.
  @exclusivity(unchecked) var pendingError: StorageError?
  @exclusivity(unchecked) var addition = Addition()
  @exclusivity(unchecked) var streams: [StreamEntry] = []
  @exclusivity(unchecked) var isClosed = false
  /// The node in this program, if the configuration says so.
  private(set) var node: StoreNode?
  /// The place of a store in memory, as long as it is open.
  private let memory: MemoryFile?

  // MARK: What is frozen

  /// The file as long as a frozen form shares it.
  var sharedFile: FrozenFile?
  /// A file to go on with when a frozen form keeps the present one.
  let spare: SpareFile
  /// The frozen form of the version that is shown.
  weak var frozenForm: Store?
  /// Of what a frozen store was made; nil for a live one.
  let origin: FrozenOrigin?

  /// Opens a store for the calling thread, or for a serial queue.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be opened; it names the file, what was found in
  ///   it, and what to do.
  // `AtollRealm` has an initializer of the same form that takes a store which is open already.
  @_disfavoredOverload
  public convenience init(
    configuration: Configuration = .defaultConfiguration, queue: DispatchQueue? = nil
  ) throws(Error) {
    try self.init(configuration, for: queue.map { Confinement(to: TurnPlace($0)) } ?? Confinement())
  }

  init(_ configuration: Configuration, for place: Confinement) throws(Error) {
    self.configuration = configuration
    dynamicRecord = nil
    isFrozen = false
    origin = nil
    spare = SpareFile()
    // Opening, with a migration if need be, happens where the caller is.
    confinement = Confinement()
    let models = configuration.models
    do {
      memory = try configuration.memoryFile()
      file = try configuration.openFile(for: models)
      // The simulation has no other processes, and nothing may run on another thread.
      commitSignal =
        configuration.adjusting == nil
        ? CommitSignal.signal(of: configuration.path) : CommitSignal(ignoresOtherProcesses: true)
    } catch {
      throw Error(opening: error)
    }
    do {
      try prepareModel(models)
      commitNumber = try file.commitNumber()
    } catch {
      throw error as? Error ?? Error(opening: error)
    }
    confinement = place
    use(file)
    node = try configuration.startNode()
    if let place = place.turns, configuration.adjusting == nil {
      commitFollower = CommitFollower(of: self, in: place)
    }
  }

  /// The file as it was when `store` began to migrate it; for reading only.
  init(before store: Store, _ record: SchemaRecord) throws(Error) {
    configuration = store.configuration.readingOnly(at: record.version)
    dynamicRecord = record
    isFrozen = false
    origin = nil
    spare = SpareFile()
    memory = nil
    confinement = store.confinement
    commitSignal = store.commitSignal
    do {
      file = try StoreFile.open(configuration.path, options: configuration.options)
    } catch {
      throw Error(error)
    }
    pin()
  }

  /// The version that `live` shows, for good.
  init(frozen live: Store, _ shared: FrozenFile) {
    configuration = live.configuration.observing
    dynamicRecord = live.dynamicRecord
    isFrozen = true
    origin = FrozenOrigin(live)
    spare = SpareFile()
    memory = live.memory
    confinement = .everywhere
    commitSignal = live.commitSignal
    file = shared.file
    sharedFile = shared
    commitNumber = live.commitNumber
    versionMoves = live.versionMoves
    isPinned = true
    autorefresh = false
    catalogue = live.catalogue
    tables = live.tables.map { Table(frozen: $0, in: self) }
  }

  deinit {
    node?.stop()
    if !isClosed { letGoOfFile() }
    if let place = confinement.turns { SharedStores.forget(configuration.path, in: place) }
  }

  /// Goes on with a file that shows nothing yet.
  func use(_ file: StoreFile) {
    self.file = file
    file.letVersionsMove()
    file.onCommit = { [commitSignal] commit in commitSignal.committed(commit.number) }
  }

  /// The id that replicas of this store have in common.
  public var storeID: UUID {
    UUID(UniqueBytes(high: file.storeID.high, low: file.storeID.low))
  }

  /// Ends the store; its objects are invalidated, and closing it again does nothing.
  ///
  /// Does nothing to a frozen store, which ends with the last thing that came from it.
  public func close() {
    if isFrozen || isClosed && confinement.isCurrent { return }
    checkAccess("Closing the store")
    if file.isWriting { cancelWrite() }
    isClosed = true
    node?.stop()
    letGoOfFile()
  }

  // MARK: Classes

  func table(of type: ObjectBase.Type, _ doing: @autoclosure () -> String) -> Table {
    if let index = catalogue.index(of: type) { return tables[index] }
    if configuration.objectTypes == nil { return register(type, doing()) }
    Trap.stop(
      "\(doing()): class '\(ModelClass.name(of: type))' is not in this store. "
        + "Its classes are: \(tables.map(\.model.name).joined(separator: ", ")). "
        + "Add the class to the configuration's objectTypes.")
  }

  /// Takes in a class that was not found at opening, because it is generic or because the walk of
  /// `CMetadata` found nothing; and the classes it leads to.
  private func register(_ type: ObjectBase.Type, _ doing: String) -> Table {
    if isFrozen || file.isWriting {
      Trap.stop(
        "\(doing): class '\(ModelClass.name(of: type))' is used for the first time inside a write "
          + "transaction, or of something frozen. Use it before, or name it in the configuration's objectTypes."
      )
    }
    let models = ModelClass.of(type).reachable.filter { catalogue.index(of: $0.type) == nil }
    for model in models { model.validate() }
    invalidate()
    let stored = attempt("adding class '\(ModelClass.name(of: type))' to the store") {
      file throws(StorageError) in try file.adopt(models.map(\.schema))
    }
    extend(models, stored)
    return table(of: type, doing)
  }

  func extend(_ models: [ModelClass], _ stored: [StoredClass]) {
    let known = tables.count
    catalogue = RowLayout.Catalogue(
      models: catalogue.models + models, stored: catalogue.stored + stored)
    for index in known..<catalogue.models.count {
      tables.append(Table(store: self, index: index, in: catalogue))
    }
  }

  // MARK: Confinement and failures

  /// Stops if the caller is not where the store belongs.
  func checkAccess(_ doing: @autoclosure () -> String) {
    if !confinement.isCurrent { confinement.stop(doing()) }
    if isClosed { Trap.stop("\(doing()): the store '\(configuration.path)' was closed.") }
  }

  /// Does something that only fails if the file does.
  func attempt<R>(
    _ doing: @autoclosure () -> String, _ body: (StoreFile) throws(StorageError) -> R
  ) -> R {
    do {
      return try body(file)
    } catch {
      return retry(after: error, doing(), body)
    }
  }

  /// Does something again after it failed, if there is a reason to.
  func retry<R>(
    after error: StorageError, _ doing: @autoclosure () -> String,
    _ body: (StoreFile) throws(StorageError) -> R
  ) -> R {
    guard case .versionEnded = error else { Trap.stop("Failure while \(doing()): \(error)") }
    // A frozen form shared the file, and its version had to go: this store goes on without it.
    if isFrozen { Trap.stop("Failure while \(endOfVersion(doing()).message)") }
    takeNewest()
    do {
      return try body(file)
    } catch {
      Trap.stop("Failure while \(doing()): \(error)")
    }
  }
}

extension Store: Equatable {
  /// Identity: two stores of one file are two stores.
  public static func == (a: Store, b: Store) -> Bool { a === b }
}
