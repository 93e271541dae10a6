import AtollStorage
import AtollVocabulary
public import Observation
import Synchronization

// Swift's own observation: code inside `withObservationTracking` is told when something of a store
// that it read shows another state, whoever made it.

extension ObjectBase: Observable {}
extension CollectionBase: Observable {}
extension Results: Observable {}

/// The values that tracking code has read of a store, and is to be notified of.
///
/// A registrar says to nobody whether anything tracks. But it hashes a key path only if something
/// does, and so the hash of one key path's argument answers that question, at the cost of a call,
/// before anything about the read itself has to be made up.
final class ReadTracking {
  /// A part of what a store shows.
  enum Place: Hashable {
    /// A column of an object; nil for anything of it.
    case column(ClassID, RowID, Int?)
    /// The existence of an object.
    case existence(ClassID, RowID)
    /// The objects of a class, and their values.
    case objects(ClassID)
    /// The deletions of objects of a class.
    case deletions(ClassID)
  }

  private final class Subject: Observable, Sendable {
    subscript(place place: Place) -> Bool { false }
    subscript(probe probe: Probe) -> Bool { false }
  }

  /// Notes that it was hashed.
  private final class Probe: Hashable {
    // Confined to the store's place, as all that reads is.
    @exclusivity(unchecked) var wasHashed = false

    static func == (a: Probe, b: Probe) -> Bool { a === b }

    func hash(into hasher: inout Hasher) {
      wasHashed = true
      hasher.combine(ObjectIdentifier(self))
    }
  }

  /// Places after which everybody is told rather than more remembered.
  private static let bound = 100_000

  private let registrar = ObservationRegistrar()
  private let subject = Subject()
  private let probe = Probe()
  private let probePath: KeyPath<Subject, Bool>
  private var places: Set<Place> = []

  init() { probePath = \Subject.[probe: probe] }

  /// True if the code that runs is to be told of what it reads.
  var isTracking: Bool {
    probe.wasHashed = false
    registrar.access(subject, keyPath: probePath)
    return probe.wasHashed
  }

  var isEmpty: Bool { places.isEmpty }

  func record(_ place: Place) {
    places.insert(place)
    registrar.access(subject, keyPath: \Subject.[place: place])
    if places.count > Self.bound { tell { _ in true } }
  }

  /// Tells those who read something that some commits changed.
  func follow(_ effects: CommitEffects) {
    tell { place in
      switch place {
      case .column(let classID, let row, let column):
        let changes = effects.changes(of: classID)
        if changes.isWhole || changes.deleted.contains(row) { return true }
        guard let columns = changes.modified[row] else { return false }
        return column.map(columns.contains) ?? true
      case .existence(let classID, let row):
        let changes = effects.changes(of: classID)
        return changes.isWhole || changes.deleted.contains(row)
      case .objects(let classID): return effects.touches([classID])
      case .deletions(let classID):
        let changes = effects.changes(of: classID)
        return changes.isWhole || !changes.deleted.isEmpty
      }
    }
  }

  private func tell(_ isChanged: (Place) -> Bool) {
    for place in places.filter(isChanged) {
      places.remove(place)
      registrar.willSet(subject, keyPath: \Subject.[place: place])
      registrar.didSet(subject, keyPath: \Subject.[place: place])
    }
  }
}

extension Store {
  /// Notes what is being read, if the code that reads is to be told of it.
  @inline(__always)
  func recordRead(_ places: @autoclosure () -> [ReadTracking.Place]) {
    if !isFrozen, tracking.isTracking { track(places()) }
  }

  private func track(_ places: [ReadTracking.Place]) {
    for place in places { tracking.record(place) }
  }

  /// Tells tracking code what the store shows otherwise than before.
  func followReads(from number: CommitNumber) {
    if tracking.isEmpty || number == commitNumber { return }
    do throws(Error) {
      tracking.follow(try effects(after: number))
    } catch {
      Trap.stop("Failure while looking what has changed: \(error)")
    }
  }
}
