import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

/// Times a store that begins with another's objects, beside one that is given the log.
struct BootstrapMeasure {
  let folder: URL
  let changesets: Int
  let creates: Int

  /// - Returns: `log` for applying all changesets; `making` the snapshot; `snapshot` for taking it, durably, and
  ///   checking its digests, after which the objects are there; `history` for what it was made of.
  func run() throws -> [String: Duration] {
    let log = try ApplyMeasure(folder: folder, changesets: changesets, creates: creates).run()
    let source = try StoreFile.open(folder.appendingPathComponent("source.atoll").path)
    defer { source.close() }
    let clock = ContinuousClock()
    let making = try clock.measure { try source.makeSnapshot() }
    let late = try StoreFile.open(
      folder.appendingPathComponent("late.atoll").path,
      options: StoreOptions(storeID: source.storeID))
    defer { late.close() }
    var objects: UInt64 = 0
    let snapshot = try clock.measure { objects = try Self.take(from: source, into: late) }
    guard objects == UInt64(changesets * creates) else {
      throw ClusterError.different(reason: "the snapshot has \(objects) objects")
    }
    let history = try clock.measure { try fill(from: source, into: late) }
    return ["log": log, "making": making, "snapshot": snapshot, "history": history]
  }

  /// - Returns: The number of objects that came.
  static func take(from source: StoreFile, into late: StoreFile) throws -> UInt64 {
    guard let offer = try source.snapshotOffer() else {
      throw ClusterError.different(reason: "no snapshot was made")
    }
    var staged = try late.beginStaging(offer.id)
    while staged < offer.pages {
      let pages = try source.snapshotPages(
        of: offer.id, from: staged, count: Limits.snapshotWindow)
      staged = try late.stage(pages, of: offer.id)
    }
    let outcome = try late.installSnapshot(offer.id)
    guard outcome == .installed else {
      throw ClusterError.different(reason: "the snapshot came to this: \(outcome)")
    }
    return offer.objects
  }

  private func fill(from source: StoreFile, into late: StoreFile) throws {
    var cutting: LogEntry?
    while let request = try late.logStart().missing {
      let answer = try source.backfill(request, cutting: &cutting)
      if let refusal = try late.keep(answer) { throw ClusterError.different(reason: refusal) }
    }
  }
}
