import AtollVocabulary

// Shortage: the disk has no room for what peers send. They are told to wait, links stay, what came
// already is kept in memory within its windows, and everything goes on to be sent that is here. The
// batch that found no room is tried again until it finds some.

/// A time in which the file takes nothing.
struct Shortage: Hashable, Sendable {
  var reason: String
  /// When it is tried again; nil while that is under way.
  var retryAt: Instant?
}

extension Engine {
  /// Why nothing of peers is applied at present; nil if it is.
  package var shortageReason: String? { shortage?.reason }

  mutating func noRoom(_ reason: String, at now: Instant) {
    let isNew = shortage == nil
    let retryAt = now.advanced(by: Limits.roomInterval)
    shortage = Shortage(reason: shortage?.reason ?? reason, retryAt: retryAt)
    arm(at: retryAt)
    guard isNew else { return }
    perform(.report(.noRoom(reason: reason)))
    grant()
  }

  /// Offers the batch to the file again, if it is time.
  ///
  /// If its link is gone, others are let send again: what they bring will show whether there is room.
  mutating func tryAgain(at now: Instant) {
    guard let due = shortage?.retryAt else { return }
    guard due <= now else { return arm(at: due) }
    shortage?.retryAt = nil
    if let applying, let index = index(of: applying.link), sessions[index].isEstablished {
      perform(.apply(applying.link, applying.batch))
    } else {
      applying = nil
      endShortage()
      applyNext()
    }
  }

  /// The file takes something again.
  mutating func endShortage() {
    guard shortage != nil else { return }
    shortage = nil
    perform(.report(.hasRoom))
    grant()
  }
}
