import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

/// Reads for links that are at the log's end what they will ask for when the log grows.
///
/// The engine answers growth by asking, for every link that lacks it, for what comes after its
/// last read. Having that at hand saves a commit two hops between threads on its way. It is right
/// to read with a vector that has grown since: the engine leaves out what the peer has.
struct LogReadAhead {
  /// The request that would follow a link's last read, if that found the end.
  private var next: [(link: LinkID, request: LogRequest)] = []

  /// A link asked, and got this.
  mutating func record(_ link: LinkID, _ request: LogRequest, _ batch: LogBatch) {
    forget(link)
    guard batch.isAtEnd else { return }
    var vector = request.lackedBy
    for entry in batch.entries { vector[entry.id.author] = entry.id.sequence }
    next.append(
      (link, LogRequest(lackedBy: vector, after: batch.next, byteLimit: Limits.batchBytes)))
  }

  /// A link brought these: its peer does not lack them.
  mutating func record(_ link: LinkID, _ changesets: [IncomingChangeset]) {
    guard let index = next.firstIndex(where: { $0.link == link }) else { return }
    for changeset in changesets {
      let known = next[index].request.lackedBy[changeset.author]
      next[index].request.lackedBy[changeset.author] = max(known, changeset.sequence)
    }
  }

  mutating func forget(_ link: LinkID) { next.removeAll { $0.link == link } }

  /// Reads for every link at the end but the one that `except` names.
  ///
  /// A read that fails is left to the request proper, which can tell of it.
  mutating func read(_ file: StoreFile, except link: LinkID?) -> [StoreService.ReadAhead] {
    var found: [StoreService.ReadAhead] = []
    for (each, request) in next where each != link {
      guard
        let batch = try? file.entries(
          lackedBy: request.lackedBy, after: request.after, limitBytes: request.byteLimit,
          isForPeer: true)
      else { continue }
      record(each, request, batch)
      found.append(StoreService.ReadAhead(link: each, after: request.after, batch: batch))
    }
    return found
  }
}
