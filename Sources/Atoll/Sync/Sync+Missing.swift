#if Replication
import AtollPresence
import AtollStorage
import AtollVocabulary
public import Foundation

extension Sync {
  /// Somebody who does not have what was waited for.
  public struct Missing: Hashable, Sendable {
    /// Causes for which somebody does not have it.
    public enum Reason: Hashable, Sendable {
      /// It has said what it has, and so many changesets are not among it.
      case lacks(changesets: UInt64)
      /// It exists, and has not said what it has since.
      case neverHeard
      /// It is retired: nobody waits for it.
      case retired
      /// No replica has this name or id.
      case unknown
      /// No other replica was ever met.
      case nobodyKnown
      /// So many fewer replicas than were asked for exist.
      case tooFew(known: Int)
      /// It has so many changesets that are not here.
      case isAhead(changesets: UInt64)
      /// No replica is connected that has said what it has.
      case notConnected
      /// It is not in the file.
      case notWritten
    }

    /// The replica's name, its id where it has none, or what was asked for.
    public let name: String
    /// The cause.
    public let reason: Reason
    /// The time of the last news of it, from itself or through others.
    public let heard: Date?

    init(_ name: String, _ reason: Reason, heard: Date? = nil) {
      self.name = name
      self.reason = reason
      self.heard = heard
    }
  }

  /// Waiting has come to its end without what was waited for.
  public struct WaitError: Swift.Error, Hashable, Sendable {
    /// The condition of the wait.
    public let waiting: String
    /// The time that was waited.
    public let timeout: Duration
    /// Everybody who does not have it.
    public let missing: [Missing]
    /// True if a node serves the file here; if none does, nothing is exchanged.
    public let isServed: Bool
    /// True if exchange is paused here; see ``Sync/pause()``.
    public let isPaused: Bool
  }
}

extension Sync.WaitError: CustomStringConvertible {
  public var description: String {
    let reasons = missing.map(\.description).joined(separator: "; ")
    return "waiting \(waiting): not after \(timeout), since \(reasons)"
      + (isServed ? "" : ". No node serves this store here: start atolld, or embed one")
      + (isPaused ? ". Exchange is paused here: resume it" : "")
  }
}

extension Sync.Missing: CustomStringConvertible {
  public var description: String {
    let last = heard.map { ", last heard of at \($0.formatted(.iso8601))" } ?? ""
    return switch reason {
    case .lacks(let count): "\(name) lacks \(count) changesets\(last)"
    case .neverHeard: "nothing was heard of \(name) yet"
    case .retired: "\(name) is retired, nobody waits for it; `atoll peers` lists the others"
    case .unknown: "no replica is called \(name); `atoll peers` lists those that exist"
    case .nobodyKnown: "no other replica was ever met"
    case .tooFew(let known): "there are \(known) other replicas, \(name) were asked for"
    case .isAhead(let count): "\(name) has \(count) changesets that are not here\(last)"
    case .notConnected: "no replica is connected that has said what it has"
    case .notWritten: "it is not in the file"
    }
  }
}

extension Sync.Level: CustomStringConvertible {
  public var description: String {
    switch self {
    case .localDurable: "this disk"
    case .peer(let name): "\(name)"
    case .peers(let count): "\(count) replicas"
    case .everyone: "everyone"
    }
  }
}

extension Sync.Missing {
  /// Returns the replicas that keep a wait from its end; none if it is over.
  static func list(
    _ file: StoreFile, _ level: Sync.Level, _ vector: VersionVector
  ) throws(StorageError) -> [Sync.Missing] {
    // An opened file has flushed what it shows.
    guard level != .localDurable else {
      let isHere = try file.appliedVector().includes(vector)
      return isHere ? [] : [Sync.Missing("this replica", .notWritten)]
    }
    let names = try file.replicaNames()
    let own = file.author.replica
    let others = try file.knownHoldings().filter { $0.member.replica != own }
    let counted = others.filter { !$0.member.isRetired }
    switch level {
    case .localDurable: return []
    case .everyone:
      if counted.isEmpty { return [Sync.Missing("everyone", .nobodyKnown)] }
      return counted.compactMap { lacking($0, vector, names) }
    case .peers(let count):
      let missing = counted.compactMap { lacking($0, vector, names) }
      if counted.count - missing.count >= count { return [] }
      guard counted.count < count else { return missing }
      return missing + [Sync.Missing("\(count)", .tooFew(known: counted.count))]
    case .peer(let name):
      let named = others.filter { isCalled(name, $0.member, names) }
      if named.isEmpty { return [Sync.Missing(name, .unknown)] }
      let active = named.filter { !$0.member.isRetired }
      if active.isEmpty { return [Sync.Missing(name, .retired)] }
      return active.compactMap { lacking($0, vector, names) }
    }
  }

  /// Returns the connected replicas with changesets that are not here.
  static func listForDownload(_ file: StoreFile) throws(StorageError) -> [Sync.Missing] {
    let names = try file.replicaNames()
    let served = StoreStatus.current(ofStoreAt: file.path)
    let heard = (served?.peers ?? []).filter { $0.isConnected && $0.behind != nil }
    let replicas = heard.compactMap { $0.replica.flatMap(Author.init)?.replica }
    guard !replicas.isEmpty else { return [Sync.Missing("nobody", .notConnected)] }
    return try file.knownHoldings().compactMap { known in
      guard known.ahead > 0, replicas.contains(known.member.replica) else { return nil }
      return Sync.Missing(
        shown(known.member, names), .isAhead(changesets: known.ahead), heard: date(known.heard))
    }
  }

  /// Returns the part of `vector` that a replica lacks; nil if it has applied all of it.
  private static func lacking(
    _ known: KnownHoldings, _ vector: VersionVector, _ names: ReplicaNames
  ) -> Sync.Missing? {
    let count = vector.count(beyond: known.applied)
    guard count > 0 else { return nil }
    let reason = known.heard == nil ? Reason.neverHeard : .lacks(changesets: count)
    return Sync.Missing(shown(known.member, names), reason, heard: date(known.heard))
  }

  private static func isCalled(_ name: String, _ member: Member, _ names: ReplicaNames) -> Bool {
    names[member.replica] == name
      || name.utf8.count >= 8 && "\(member.replica)".hasPrefix(name.lowercased())
  }

  private static func shown(_ member: Member, _ names: ReplicaNames) -> String {
    names[member.replica] ?? member.replica.shortDescription
  }

  private static func date(_ time: WallTime?) -> Date? { time.map(Date.init(wallTime:)) }
}

extension Date {
  init(wallTime: WallTime) {
    self.init(timeIntervalSince1970: Double(wallTime.milliseconds) / 1000)
  }
}
#endif
