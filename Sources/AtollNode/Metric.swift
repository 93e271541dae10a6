/// Everything that a node counts and measures, by the name it is exposed under.
///
/// Each name ends with its unit, or with `_total` if it only grows. All have the label `store`, but
/// for those of the loop; those that begin with `atoll_peer_` have the label `peer` too. It is the address
/// of a peer that is configured and the replica of one that connected, and for lag, which members have
/// whether or not they are linked, always the replica, with what people call it in the label `name`.
package enum Metric: String, CaseIterable, Sendable {
  case links = "atoll_links"
  case linksOpened = "atoll_links_opened_total"
  case linksClosed = "atoll_links_closed_total"
  case connectFailures = "atoll_connect_failures_total"
  case admissions = "atoll_admissions"
  case peersKnown = "atoll_peers_known"
  case peersConnected = "atoll_peers_connected"
  case peerConnected = "atoll_peer_connected"
  case peerLagChangesets = "atoll_peer_lag_changesets"
  case peerLagSeconds = "atoll_peer_lag_seconds"
  case peerQueueBytes = "atoll_peer_queue_bytes"
  case peerClockAheadSeconds = "atoll_peer_clock_ahead_seconds"
  case peerDiverged = "atoll_peer_diverged"
  case windowBytes = "atoll_window_bytes"
  case waitingBytes = "atoll_waiting_bytes"
  case diskFull = "atoll_disk_full"
  case framesReceived = "atoll_frames_received_total"
  case framesSent = "atoll_frames_sent_total"
  case receivedBytes = "atoll_received_bytes_total"
  case sentBytes = "atoll_sent_bytes_total"
  case changesetsApplied = "atoll_changesets_applied_total"
  case changesetsDuplicate = "atoll_changesets_duplicate_total"
  case changesetsRefused = "atoll_changesets_refused_total"
  case changesetsDeferred = "atoll_changesets_deferred"
  case clockDeferrals = "atoll_clock_deferrals_total"
  case divergences = "atoll_divergences_total"
  case forks = "atoll_forks_total"
  case commits = "atoll_commits_total"
  case applySeconds = "atoll_apply_seconds"
  case applyFailures = "atoll_apply_failures_total"
  case logReadSeconds = "atoll_log_read_seconds"
  case logChangesets = "atoll_log_changesets"
  case logBytes = "atoll_log_bytes"
  case databaseBytes = "atoll_database_bytes"
  case walBytes = "atoll_wal_bytes"
  case localClients = "atoll_local_clients"
  case waitingRequests = "atoll_waiting_requests"
  case externallyModifiedClasses = "atoll_externally_modified_classes"
  case condition = "atoll_condition"
  case troubles = "atoll_troubles_total"
  case loopDelaySeconds = "atoll_loop_delay_seconds"
  case loopBlockedSeconds = "atoll_loop_blocked_seconds"
  case loopBlocks = "atoll_loop_blocks_total"

  /// The description, for people.
  package var help: String {
    switch self {
    case .links: "Links to peers that are open."
    case .linksOpened: "Links to peers whose handshake succeeded."
    case .linksClosed: "Links to peers that ended, for whatever reason."
    case .connectFailures: "Attempts to connect to a peer that came to nothing."
    case .admissions:
      "Replicas of a store that has owners, by what these have said: owner, writer, requested, removed."
    case .peersKnown: "Peers that are configured, or have connected since the start."
    case .peersConnected: "Of these, how many are connected."
    case .peerConnected: "1 while the peer is connected, else 0."
    case .peerLagChangesets:
      "Changesets applied here that the member has not acknowledged as applied."
    case .peerLagSeconds:
      """
      Age of the oldest changeset applied here that the member has not acknowledged as applied, since \
      it was applied here or this node was started; 0 if there is none.
      """
    case .peerQueueBytes: "Bytes sent to the peer that its socket has not taken yet."
    case .peerClockAheadSeconds:
      "How far the peer's clock is ahead of the one here; negative if it is behind."
    case .peerDiverged: "1 while the peer holds something else after the same changesets."
    case .windowBytes:
      "Bytes of changesets that may be on their way to each peer, and as many from it."
    case .waitingBytes: "Bytes kept in memory for peers: to be applied, or to be sent."
    case .diskFull: "1 while the disk is full and changesets of peers are not applied, else 0."
    case .framesReceived: "Frames that peers sent."
    case .framesSent: "Frames sent to peers."
    case .receivedBytes: "Bytes that came over links, before decompression."
    case .sentBytes: "Bytes handed to links, after compression."
    case .changesetsApplied: "Changesets of other replicas that were applied."
    case .changesetsDuplicate: "Changesets that came though they were here."
    case .changesetsRefused: "Changesets that were refused, with their link."
    case .changesetsDeferred:
      "Changesets that may not be applied until time has caught up with them."
    case .clockDeferrals: "Times that an author's changesets began to be deferred by clock."
    case .divergences: "Times that a peer was found to hold something else."
    case .forks: "Changesets found beside another one of their author and number."
    case .commits: "Commits seen in the file, by who made them: this node or an application."
    case .applySeconds: "Time to write one batch of peers' changesets to the file."
    case .applyFailures: "Batches that the file could not take."
    case .logReadSeconds: "Time to read one batch for a peer from the log."
    case .logChangesets: "Changesets in the log, when it was last looked."
    case .logBytes: "Their bytes, when it was last looked."
    case .databaseBytes: "The size of the database file."
    case .walBytes:
      "The size of the write-ahead log, which a checkpoint empties but does not shorten."
    case .localClients: "Processes on this machine that are connected to the store's socket."
    case .waitingRequests: "What the store's writer thread is still asked for."
    case .condition:
      "1 while a condition of the health holds, else 0; with its name and severity as labels."
    case .externallyModifiedClasses: "Classes whose rows were modified externally, by SQL."
    case .troubles: "Errors of the file or the system that were logged."
    case .loopDelaySeconds: "How long the event loop took to answer the watchdog."
    case .loopBlockedSeconds: "For how long the event loop has not answered; 0 if it does."
    case .loopBlocks: "Times that the event loop did not answer for longer than it may."
    }
  }
}
