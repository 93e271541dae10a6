import AtollVocabulary

// Disk full: the file cannot take what peers send. Peers are told to wait and links stay. Changesets that
// came already are kept in memory within their windows, and everything that is here is still sent. The
// batch that failed is tried again every `diskFullRetryInterval`.

/// The state of an engine whose disk is full.
struct DiskFullState: Hashable, Sendable {
  var reason: String
  /// The instant of the next try; nil while one is under way.
  var retryAt: Instant?
}

extension Engine {
  /// The reason why nothing of peers is applied; nil unless the disk is full.
  package var diskFullReason: String? { diskFull?.reason }

  /// Stops taking changesets from all peers, and plans the next try.
  mutating func recordDiskFull(_ reason: String, at now: Instant) {
    let isNew = diskFull == nil
    let retryAt = now.advanced(by: Limits.diskFullRetryInterval)
    diskFull = DiskFullState(reason: diskFull?.reason ?? reason, retryAt: retryAt)
    arm(at: retryAt)
    guard isNew else { return }
    perform(.report(.diskFull(reason: reason)))
    grant()
  }

  /// Offers the batch to the file again, if it is time.
  ///
  /// If its link is gone, others may send again: what they bring shows whether the disk is still full.
  mutating func tryAgain(at now: Instant) {
    guard let due = diskFull?.retryAt else { return }
    guard due <= now else { return arm(at: due) }
    diskFull?.retryAt = nil
    if let applying, let index = index(of: applying.link), sessions[index].isEstablished {
      perform(.apply(applying.link, applying.batch))
    } else {
      applying = nil
      endDiskFull()
      applyNext()
    }
  }

  /// Takes changesets from all peers again.
  mutating func endDiskFull() {
    guard diskFull != nil else { return }
    diskFull = nil
    perform(.report(.diskHasSpace))
    grant()
  }
}
