import AtollInspect
import AtollPresence
package import AtollStorage
package import AtollVocabulary

// Operations on a store and its replicas: `atoll peer`, `pause`, `resume` and `compact`.
extension StoreEditor {
  /// Lets a node connect that came and was turned away.
  ///
  /// - Parameters:
  ///   - text: The name it gives itself, or its identity, or the first letters of that.
  ///   - name: The name it gets here; nil takes its own.
  ///   - role: What it may do.
  ///   - addresses: Addresses to connect to it at, as HOST:PORT.
  /// - Returns: Its entry in the roster.
  /// - Throws: ``OperatingError/notPending(_:pending:)`` or `StorageError`.
  package func accept(
    _ text: String, as name: String? = nil, role: PeerRole = .write, addresses: [String] = []
  ) throws -> RosterEntry {
    let pending = StoreStatus.current(ofStoreAt: file.path)?.pending ?? []
    let wanted = text.uppercased()
    let found = pending.filter { $0.name == text || $0.identity.hasPrefix(wanted) }
    guard found.count == 1, let peer = found.first, let identity = NodeIdentity(peer.identity)
    else {
      throw OperatingError.notPending(
        text, pending: pending.map { "\($0.name) (\($0.identity))" })
    }
    let entry = RosterEntry(
      identity: identity, name: name ?? peer.name, role: role, addresses: addresses)
    try file.admit(entry)
    return entry
  }

  /// Lets a node connect, or gives one of the roster another name, role and addresses.
  package func admit(_ entry: RosterEntry) throws(StorageError) { try file.admit(entry) }

  /// Lets a node connect no more, and cuts it off.
  ///
  /// - Parameter text: Its name in the roster, or its identity, or the first letters of that.
  /// - Returns: Its former entry.
  /// - Throws: ``OperatingError/notInRoster(_:known:)`` or `StorageError`.
  package func remove(_ text: String) throws -> RosterEntry {
    let roster = try file.roster()
    let wanted = text.uppercased()
    let found = roster.filter { $0.name == text || "\($0.identity)".hasPrefix(wanted) }
    guard found.count == 1, let entry = found.first else {
      throw OperatingError.notInRoster(text, known: roster.map { "\($0.name) (\($0.identity))" })
    }
    try file.revoke(entry.identity)
    return entry
  }

  /// Admits a replica to a store that has owners, for everybody and for good.
  ///
  /// - Parameters:
  ///   - text: All 32 digits of its id, or, of one that is known here, its name or the first of them.
  ///   - admission: As what.
  /// - Returns: Its name with its id, and whether it was not admitted so before.
  /// - Throws: `InspectionError.noOneReplica` or `StorageError`.
  package func admit(
    _ text: String, as admission: Admission = .writer
  ) throws -> (replica: String, isNew: Bool) {
    let whole = ReplicaID(text.lowercased())
    let replica = try whole ?? Inspection(file).replica(called: text)
    let isNew = try file.admit(replica, as: admission)
    return (try file.replicaNames().text(replica), isNew)
  }

  /// Removes a replica from a store that has owners, for everybody and for good, and its key from this file's roster.
  ///
  /// A key that another replica has shown, too, stays in the roster.
  ///
  /// - Parameters:
  ///   - text: All 32 digits of its id, or, of one that is known here, its name or the first of them.
  ///   - moment: What it wrote from then on is taken back, in ISO 8601; nothing without.
  /// - Returns: Its name with its id, whether it was not removed before, the number of changesets that were taken back, and
  ///   who may not connect any more.
  /// - Throws: `InspectionError.noOneReplica`, `DateText.Problem` or `StorageError`.
  package func remove(
    replica text: String, undoingSince moment: String? = nil
  ) throws -> (replica: String, isNew: Bool, undone: Int, revoked: [String]) {
    let whole = ReplicaID(text.lowercased())
    let replica = try whole ?? Inspection(file).replica(called: text)
    let isNew = try !file.isRemoved(replica)
    var undone = 0
    if let moment {
      // Dates count from 2001.
      let since = WallTime(secondsSince1970: try DateText.seconds(moment) + 978_307_200)
      undone = try UndoingRemoval(of: replica, from: file).run(since: since)
    } else {
      try file.remove(replica)
    }
    let (pinned, roster) = (try file.pinnedIdentities(), try file.roster())
    let revoked = roster.filter { entry in
      pinned[replica] == entry.identity
        && !pinned.contains { $0.key != replica && $0.value == entry.identity }
    }
    for entry in revoked { try file.revoke(entry.identity) }
    return (
      try file.replicaNames().text(replica), isNew, undone,
      revoked.map { "\($0.name) (\($0.identity))" }
    )
  }

  /// Admits the replica of a copy of the file as a writer, and lets the copy know.
  ///
  /// - Parameter path: The copy, as `atoll clone` has just made it.
  /// - Throws: `StorageError`.
  package func admitCopy(at path: String) throws(StorageError) {
    let copy = try StoreFile.open(path, options: StoreOptions(mayCreate: false))
    defer { copy.close() }
    try file.admit(copy: copy)
  }

  /// Has a replica whose file is on this machine, too, admitted to the store: by this one, or by owners, who are asked.
  ///
  /// - Parameter replica: The other replica.
  /// - Returns: What came of it; nil where the store has no owners.
  /// - Throws: `StorageError`.
  package func welcome(_ replica: ReplicaID) throws(StorageError) -> Welcome? {
    guard file.storeID.isOwned else { return nil }
    guard try file.isOwner else {
      return try AdmissionRequests(of: file).ask(for: replica) ? .isAsked : .isUnheard
    }
    try file.admit(replica, as: .writer)
    return .isAdmitted
  }

  /// Makes an owner that exists on paper alone.
  ///
  /// - Returns: What is to be written on the paper, and the id of its replica.
  /// - Throws: `StorageError`.
  package func makeRecoveryCode() throws(StorageError) -> (code: RecoveryCode, owner: ReplicaID) {
    try Recovery(of: file).makeCode()
  }

  /// Makes this replica an owner, by what is written on paper.
  ///
  /// - Returns: False if it was one before.
  /// - Throws: `StorageError`.
  package func recover(with code: RecoveryCode) throws(StorageError) -> Bool {
    try Recovery(of: file).use(code)
  }

  /// Has the file write with another key, and thus as another replica, from now on.
  ///
  /// - Returns: Both replicas with their names, and whether owners have to admit the new one.
  /// - Throws: `StorageError`.
  package func rotateKey() throws(StorageError) -> (former: String, replica: String, waits: Bool) {
    let outcome = try KeyRotation(of: file).run()
    let names = try file.replicaNames()
    return (
      names.text(outcome.former), names.text(outcome.replica),
      file.storeID.isOwned && outcome.admission == nil
    )
  }

  /// Has nobody wait for a replica any more, on all replicas.
  ///
  /// - Parameter text: Its name, or the first letters of its id.
  /// - Returns: Its name with its id.
  /// - Throws: `InspectionError.noOneReplica`, ``OperatingError/retiresItself(_:)`` or `StorageError`.
  package func retire(_ text: String) throws -> String {
    let replica = try Inspection(file).replica(called: text)
    guard replica != file.author.replica else { throw OperatingError.retiresItself(replica) }
    try file.retire(replica)
    return try file.replicaNames().text(replica)
  }

  /// Takes a retired replica in again, on all replicas.
  ///
  /// - Parameter text: Its name, or the first letters of its id.
  /// - Returns: Its name with its id.
  /// - Throws: `InspectionError.noOneReplica` or `StorageError`.
  package func readmit(_ text: String) throws -> String {
    let replica = try Inspection(file).replica(called: text)
    try file.readmit(replica)
    return try file.replicaNames().text(replica)
  }

  /// Exchanges nothing with other nodes until ``resume()``.
  package func pause() throws(StorageError) { try file.pause() }

  /// Exchanges with other nodes again.
  package func resume() throws(StorageError) { try file.resume() }

  /// Writes the file anew without the space that nothing uses.
  ///
  /// - Returns: Bytes before and after.
  /// - Throws: `StorageError.diskFull`, `inUse` and others.
  package func compact() throws(StorageError) -> (before: Int64, after: Int64) {
    try file.compact()
  }

  /// Copies the store as it is at one moment into a new file.
  ///
  /// - Parameter path: The file, which must not be there.
  /// - Throws: `StorageError.alreadyThere`, `diskFull` and others; the copy is verified.
  package func backUp(to path: String) throws(StorageError) { try file.backUp(to: path) }
}

/// The outcome for a replica that joins a store with owners.
package enum Welcome: Hashable, Sendable {
  case isAdmitted
  /// Owners are asked to admit it.
  case isAsked
  /// They were asked before, or cannot be from here.
  case isUnheard
}
