import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

/// Times a store that comes late to changesets that came one by one, each with its seal, with those seals and without.
struct SealMeasure {
  let folder: URL
  let changesets: Int
  private let batchBytes = Limits.batchBytes

  /// - Returns: `bootstrap` for taking a snapshot and the changesets that it was made of; `applied` for applying the
  ///   log; each also without seals.
  func run() throws -> [String: Duration] {
    let recorded = try ApplyMeasure(folder: folder, changesets: changesets, creates: 1).record()
    let hub = try open("hub", recorded.storeID)
    defer { hub.close() }
    let source = try open("source", recorded.storeID)
    try copyOneByOne(from: source, to: hub)
    source.close()
    try hub.makeSnapshot()
    var times: [String: Duration] = [:]
    for isSealed in [true, false] {
      let suffix = isSealed ? "" : "WithoutSeals"
      times["bootstrap" + suffix] = try late("begun" + suffix, hub) {
        try bootstrap($0, hub, isSealed)
      }
      times["applied" + suffix] = try late("applied" + suffix, hub) { try apply($0, hub, isSealed) }
    }
    return times
  }

  private func open(_ name: String, _ id: StoreID) throws -> StoreFile {
    try StoreFile.open(
      folder.appendingPathComponent("\(name).atoll").path, options: StoreOptions(storeID: id))
  }

  /// As a stream of single transactions brings them: a seal for each.
  private func copyOneByOne(from source: StoreFile, to hub: StoreFile) throws {
    var position = LogPosition.start
    while true {
      let batch = try source.entries(
        lackedBy: VersionVector(), after: position, limitBytes: batchBytes)
      let single = batch.entries.map { entry in
        var changeset = entry.asIncoming
        changeset.expectedHash = entry.id.hash
        changeset.seal = source.replicaKey?.seal(entry.id, in: source.storeID)
        return changeset
      }
      let outcomes = try hub.apply(single)
      guard outcomes.allSatisfy({ if case .applied = $0 { true } else { false } }) else {
        throw ClusterError.different(reason: "a sealed changeset was not applied")
      }
      if batch.isAtEnd { return }
      position = batch.next
    }
  }

  private func late(
    _ name: String, _ hub: StoreFile, _ body: (StoreFile) throws -> Duration
  ) throws -> Duration {
    let file = try open(name, hub.storeID)
    defer { file.close() }
    return try body(file)
  }

  /// Without the time of reading at the giver.
  private func bootstrap(
    _ late: StoreFile, _ hub: StoreFile, _ isSealed: Bool
  ) throws -> Duration {
    let clock = ContinuousClock()
    var time = try clock.measure { _ = try BootstrapMeasure.take(from: hub, into: late) }
    var cutting: LogEntry?
    while let request = try late.logStart().missing {
      var answer = try hub.backfill(request, cutting: &cutting)
      if !isSealed { for index in answer.parts.indices { answer.parts[index].seal = nil } }
      time += try clock.measure {
        if let refusal = try late.keep(answer) { throw ClusterError.different(reason: refusal) }
      }
    }
    return time
  }

  private func apply(_ late: StoreFile, _ hub: StoreFile, _ isSealed: Bool) throws -> Duration {
    var (time, position) = (Duration.zero, LogPosition.start)
    while true {
      var batch = try hub.entries(
        lackedBy: VersionVector(), after: position, limitBytes: batchBytes, isForPeer: true)
      batch.entries.joinRuns()
      var runs = batch.entries.map(\.asIncoming)
      if !isSealed { for index in runs.indices { runs[index].seal = nil } }
      time += try ContinuousClock().measure { _ = try late.apply(runs) }
      if batch.isAtEnd { break }
      position = batch.next
    }
    guard try late.holdings().applied == hub.holdings().applied else {
      throw ClusterError.different(reason: "the log was not applied whole")
    }
    return time
  }
}
