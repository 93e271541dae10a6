import AtollPresence
import AtollReplication
import AtollVocabulary
import AtollWire

/// The faults that the hub itself has seen.
struct HubHealth {
  /// Why the last batch could not be written; nil once one could.
  var notWritten: HealthCondition?
  /// The last refusal of a changeset, and when it was.
  var refusal: (sentence: String, at: Instant)?
  /// The word of a peer that an owner has removed this replica, which its file may not know; nil once one takes it.
  var removal: String?
  /// The last refusal of a snapshot, and when it was.
  var snapshotRefusal: (sentence: String, at: Instant)?
  /// Since when peers offer snapshots that lack what is cut off here; nil while none does.
  var leftBehindSince: Instant?
  /// Since when no peer is connected; nil while one is.
  var aloneSince: Instant?
  var record = HealthRecord()
}

// The conditions of a store: assessed when the status is published, when somebody asks, and when
// metrics are measured.
extension Hub {
  /// Finds the conditions that hold now, and logs which of them begin and end.
  @discardableResult
  func assess(_ status: StoreStatus, at now: Instant) -> [HealthCondition] {
    recordCompany(status, at: now)
    recordUselessOffers(at: now)
    let conditions = conditions(status, at: now)
    let (began, ended) = observed.record.update(conditions)
    for condition in began { log.began(condition) }
    for condition in ended { log.ended(condition) }
    meters.record(conditions)
    return conditions
  }

  private func conditions(_ status: StoreStatus, at now: Instant) -> [HealthCondition] {
    var found = fileHealth.conditions
    if let notWritten = observed.notWritten { found.append(notWritten) }
    if let removal = observed.removal, !fileHealth.isRemoved {
      found.append(HealthCondition(.removed, removal))
    }
    found += declined(status)
    if let leftBehind = leftBehind(status, at: now) { found.append(leftBehind) }
    let diverged = status.peers.filter { $0.divergence != nil }
    if !diverged.isEmpty {
      let texts = diverged.map { "\($0.address) (\($0.divergence ?? ""))" }
      found.append(
        HealthCondition(
          .diverged,
          "after the same changesets there are other objects than at "
            + texts.joined(separator: ", ")))
    }
    if let modified = status.modifiedExternally {
      found.append(
        HealthCondition(
          .modifiedExternally,
          "rows of \(modified.joined(separator: ", ")) were modified externally, by SQL"))
    }
    if let refusal = observed.refusal,
      now.duration(since: refusal.at) < Limits.refusalShown
    {
      found.append(HealthCondition(.changesetRefused, refusal.sentence))
    }
    let full = status.peers.filter { $0.isConnected && $0.diskFull != nil }
    if !full.isEmpty {
      let texts = full.map { "\($0.address): \($0.diskFull ?? "")" }
      found.append(
        HealthCondition(
          .peerTakesNothing, "peers take nothing at present: " + texts.joined(separator: "; ")))
    }
    if let since = observed.aloneSince, now.duration(since: since) >= Limits.unreachableTimeout {
      let peers = status.peers.filter(\.isConfigured)
      let texts = peers.prefix(3).map { "\($0.address)\($0.lastError.map { " (\($0))" } ?? "")" }
      found.append(
        HealthCondition(
          .noPeerReachable,
          "none of the \(peers.count) peers could be reached for \(Limits.unreachableTimeout) or "
            + "longer: \(texts.joined(separator: ", "))"))
    }
    return found
  }

  /// Peers that take nothing of what this replica writes.
  private func declined(_ status: StoreStatus) -> [HealthCondition] {
    let own = replica.replica.description
    let connected = status.peers.filter(\.isConnected)
    let declining = connected.filter { $0.declined?.hasPrefix(own) == true }
    guard !declining.isEmpty else { return [] }
    let texts = declining.map { "\($0.address): \($0.declined ?? "")" }.joined(separator: "; ")
    return [
      connected.count == declining.count
        ? HealthCondition(
          .declinedByAll, "no connected peer takes what this replica writes: \(texts)")
        : HealthCondition(
          .declinedByPeer,
          "\(declining.count) of \(connected.count) connected peers do not take what this replica "
            + "writes: \(texts)")
    ]
  }

  /// This file and a peer's have each cut off what the other lacks, or count what counts for nothing there.
  private func leftBehind(_ status: StoreStatus, at now: Instant) -> HealthCondition? {
    if let since = observed.leftBehindSince,
      now.duration(since: since) >= Limits.leftBehindTimeout
    {
      let addresses = engine.uselessOffers.compactMap { board.place(of: $0) }
        .filter(status.peers.indices.contains).map { status.peers[$0].address }
      return HealthCondition(
        .leftBehind,
        "this file and a peer's have each cut off the log what the other lacks, and so neither can bring the other "
          + "forward: \(addresses.joined(separator: ", "))")
    }
    guard let refusal = observed.snapshotRefusal,
      now.duration(since: refusal.at) < Limits.refusalShown
    else { return nil }
    return HealthCondition(.leftBehind, refusal.sentence)
  }

  /// Follows how long peers have offered what is of no use here.
  private func recordUselessOffers(at now: Instant) {
    observed.leftBehindSince =
      engine.uselessOffers.isEmpty ? nil : observed.leftBehindSince ?? now
  }

  /// Follows how long no peer has been connected, of those that should be.
  private func recordCompany(_ status: StoreStatus, at now: Instant) {
    let isExpecting = !isPaused && status.peers.contains(where: \.isConfigured)
    let isAlone = isExpecting && !status.peers.contains(where: \.isConnected)
    observed.aloneSince = isAlone ? observed.aloneSince ?? now : nil
  }

  func recordHealth(_ event: Event) {
    switch event {
    case .applied, .deferredApplied: observed.notWritten = nil
    case .applyFailed(_, let reason):
      observed.notWritten = HealthCondition(
        .fileNotWritten, "what peers send cannot be written: \(reason)")
    case .diskFull(_, let reason):
      observed.notWritten = HealthCondition(
        .diskFull, "what peers send cannot be written: \(reason)")
    case .deferredApplyFailed:
      observed.notWritten =
        observed.notWritten
        ?? HealthCondition(.fileNotWritten, "what is deferred could not be applied")
    case .start, .remembered, .stop, .peersChanged, .connectAgain, .connectFailed, .linkOpened,
      .linkClosed, .received, .reading, .revoked, .malformed, .logAdvanced, .logRead,
      .logReadFailed, .expeditedRead, .memoryChanged, .membersChanged, .incarnationStarted,
      .digestRead, .digestChanged, .answered, .logStartChanged, .snapshotMade, .snapshotRead,
      .snapshotStaged, .snapshotInstalled, .snapshotFailed, .backfillRead, .backfillKept, .timer:
      break
    }
  }

  func recordHealth(_ event: StatusEvent, at now: Instant) {
    if case .refused = event { observed.refusal = ("\(event)", now) }
    if case .linked = event { observed.removal = nil }
    if case .snapshotRefused = event { observed.snapshotRefusal = ("\(event)", now) }
    if case .bootstrapped = event { observed.snapshotRefusal = nil }
    if case .unlinked(_, _, _, reason: .byPeer(let goodbye), _) = event, goodbye.code == .removed {
      observed.removal = "a peer says: \(goodbye.text)"
    }
  }
}
