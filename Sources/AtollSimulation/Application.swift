import Atoll
import AtollStorage
import AtollVocabulary
import Foundation

/// A program of the user's own on every node, in place of the built-in workload.
struct Application: Sendable {
  var objectTypes: [ObjectBase.Type]
  var write: Simulation.Write
  var check: Simulation.Check?
}

extension SimulatedNode {
  /// Opens the file a second time, as an application beside a daemon does.
  func openStore(_ application: Application) throws(Store.Error) -> Store {
    var configuration = Store.Configuration(
      fileURL: URL(filePath: path), objectTypes: application.objectTypes)
    let options = options
    configuration.adjusting = { $0 = options }
    return try Store(configuration: configuration)
  }

  /// Makes one transaction of the application; whether it changed anything.
  func write(
    _ application: Application, using random: inout SeededGenerator
  ) throws -> Bool {
    guard let file, let store else { return false }
    let before = try file.appliedVector()
    var source = SimulationRandom(random)
    defer { random = source.generator }
    try store.write { try application.write(store, &source) }
    try hearOfStore()
    for entry in try file.appliedVector().entries where entry.sequence > before[entry.author] {
      acknowledge(entry)
    }
    return try file.appliedVector() != before
  }

  /// Has the observer hear of what was committed through the store.
  func hearOfStore() throws(StorageError) {
    guard let file else { return }
    for commit in try file.effects(after: observer.last) ?? [] { observer.record(commit) }
  }
}

/// The chance that a simulation gives to the program in it; all of it comes from the seed.
public struct SimulationRandom: RandomNumberGenerator {
  var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  public mutating func next() -> UInt64 { generator.next() }
}
