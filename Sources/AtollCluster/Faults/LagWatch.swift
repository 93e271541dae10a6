import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization

/// The number of changesets that each store lacks of those that any of them has applied, looked at
/// twice a second by a thread of its own.
final class LagWatch: Sendable {
  /// One look.
  struct Sample: Codable, Sendable {
    /// Seconds after the start.
    var time: Double
    /// For each store; nil where it could not be read, because it was being replaced.
    var behind: [UInt64?]
  }

  private struct State {
    var samples: [Sample] = []
    var isStopped = false
  }

  private let stores: [String]
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  private static let pause = 0.5

  init(stores: [String]) {
    self.stores = stores
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0.isStopped }) {
        look()
        Thread.sleep(forTimeInterval: Self.pause)
      }
    }
  }

  var elapsed: Double { (ContinuousClock.now - start).seconds }

  /// Ends the looking.
  ///
  /// - Returns: what was seen.
  func stop() -> [Sample] {
    state.withLock { state in
      state.isStopped = true
      return state.samples
    }
  }

  static func vector(of path: String) throws -> VersionVector {
    let file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    return try file.appliedVector()
  }

  private func look() {
    let vectors = stores.map { try? Self.vector(of: $0) }
    var union = VersionVector()
    for case let vector? in vectors {
      for entry in vector.entries {
        union[entry.author] = max(union[entry.author], entry.sequence)
      }
    }
    let behind = vectors.map { vector in
      vector.map { vector in
        union.entries.reduce(UInt64(0)) {
          $0 + ($1.sequence.rawValue - vector[$1.author].rawValue)
        }
      }
    }
    let sample = Sample(time: elapsed, behind: behind)
    state.withLock { state in
      if !state.isStopped { state.samples.append(sample) }
    }
  }
}
