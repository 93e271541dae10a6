import AtollChanges
import AtollStorage
import AtollVocabulary
public import Foundation

extension Store {
  /// The replicas that may write to the store, where it has owners.
  ///
  /// It may be kept and used on any thread, and outlives the store.
  public var members: Members { Members(configuration: configuration) }

  /// The replicas whose changes count in a store that has owners.
  ///
  /// A store has owners unless it was made without (``Configuration/hasOwners``); its id is made of the first one's key,
  /// so that everybody can check who that is. Owners admit further replicas: what others write stays with
  /// them, and counts as soon as an owner has admitted them. Everywhere else whoever may connect may write.
  ///
  /// Owners remove replicas, too, such as one whose device was stolen. What that one had written before stays, and
  /// nothing that it writes afterwards counts on any device, whoever brings it and whenever that is heard of. Some of what it
  /// had written can be taken back with that (``remove(_:undoingSince:)``).
  ///
  /// An owner's node admits by itself the replica of a node that it trusts to write: who was paired with it needs
  /// nothing else. A writer's node asks owners to admit such a replica (``requests()``).
  ///
  /// An owner's key is in its file. For when that is lost, have a second owner, or a code on paper
  /// (``makeRecoveryCode()``).
  public struct Members: Sendable {
    let configuration: Configuration

    /// Tells if the store has owners.
    ///
    /// - Throws: ``Store/Error`` if the file cannot be read.
    public func areNeeded() throws(Store.Error) -> Bool {
      try reading { file in file.storeID.isOwned }
    }

    /// All who were admitted or removed, ascending by id; none where the store has no owners.
    ///
    /// - Throws: ``Store/Error`` if the file cannot be read.
    public func all() throws(Store.Error) -> [Member] {
      try reading { file throws(StorageError) in
        let names = try file.replicaNames()
        let removed = try file.removals()
        let admissions = try file.admissions()
        let owners = admissions.filter { $0.as == .owner }.map(\.replica)
        return Set(admissions.map(\.replica)).union(removed).sorted().map { replica in
          Member(
            id: "\(replica)", name: names[replica], isOwner: owners.contains(replica),
            isFounder: file.storeID.isFounded(by: replica), isRemoved: removed.contains(replica))
        }
      }
    }

    /// The id of this replica, to be told to an owner: thirty-two digits.
    ///
    /// - Throws: ``Store/Error`` if the file cannot be read.
    public func ownID() throws(Store.Error) -> String {
      try reading { file in "\(file.author.replica)" }
    }

    /// Tells if what is written here counts everywhere: the store has no owners, or one has admitted this replica
    /// and none has removed it.
    ///
    /// - Throws: ``Store/Error`` if the file cannot be read.
    public func includeThisReplica() throws(Store.Error) -> Bool {
      try reading { file throws(StorageError) in
        let own = file.author.replica
        guard try file.admits(own) else { return false }
        return try !file.isRemoved(own)
      }
    }

    /// Admits a replica, for everybody and for good.
    ///
    /// - Parameters:
    ///   - id: Its thirty-two digits, as ``ownID()`` says them there.
    ///   - asOwner: Whether it admits others, too.
    /// - Throws: ``Store/Error`` with ``Store/Error/Code/notOwner`` where this replica is no owner or the store has
    ///   none, with ``Store/Error/Code/invalidValue`` for what is no id, or if the file cannot be written.
    public func admit(_ id: String, asOwner: Bool = false) throws(Store.Error) {
      let replica = try replica(id, "admitting a replica")
      try configuration.opening(toWrite: true) { file throws(StorageError) in
        _ = try file.admit(replica, as: asOwner ? .owner : .writer)
      }
    }

    /// Removes a replica, for everybody and for good.
    ///
    /// Everything that it has written counts as far as it is here. Nodes end their links with it; its key stays in their rosters
    /// (``Sync/distrust(_:)``).
    ///
    /// - Parameter id: Its thirty-two digits.
    /// - Throws: ``Store/Error`` with ``Store/Error/Code/notOwner`` where this replica is no owner, the other one is an
    ///   owner, or the store has none, with ``Store/Error/Code/invalidValue`` for what is no id, or if the file cannot
    ///   be written.
    public func remove(_ id: String) throws(Store.Error) {
      let replica = try replica(id, "removing a replica")
      try configuration.opening(toWrite: true) { file throws(StorageError) in
        _ = try file.remove(replica)
      }
    }

    /// Removes a replica, and takes back on all replicas what it wrote from a moment on, such as after its key was stolen.
    ///
    /// All that others wrote upon it stays. The moment is compared with the times that the replica gave its changesets, as
    /// `atoll log` shows them. It may be removed already.
    ///
    /// - Parameters:
    ///   - id: Its thirty-two digits.
    ///   - moment: The first moment of which nothing is to count.
    /// - Returns: The number of changesets that counted here, and do not any more.
    /// - Throws: ``Store/Error`` as ``remove(_:)``, and if some of what is to be taken back is cut off the log.
    @discardableResult
    public func remove(_ id: String, undoingSince moment: Date) throws(Store.Error) -> Int {
      let replica = try replica(id, "removing a replica")
      let since = WallTime(secondsSince1970: moment.timeIntervalSince1970)
      return try configuration.opening(toWrite: true) { file throws(StorageError) in
        try UndoingRemoval(of: replica, from: file).run(since: since)
      }
    }

    /// The replicas that wait for an owner to admit them, ascending: thirty-two digits each.
    ///
    /// A member whose node lets another one write asks for it, unless an owner does and so admits it at once. An
    /// owner answers with ``admit(_:asOwner:)``, or with ``remove(_:)``, for good.
    ///
    /// - Throws: ``Store/Error`` if the file cannot be read.
    public func requests() throws(Store.Error) -> [String] {
      try reading { file throws(StorageError) in
        try AdmissionRequests(of: file).pending().map { "\($0.replica)" }
      }
    }

    /// Makes one more owner, which exists on paper alone, for when the devices of all owners are lost.
    ///
    /// - Returns: Twenty-five letters and digits in groups of five, to be shown once and kept nowhere: whoever has them
    ///   makes itself an owner with ``recover(with:)``.
    /// - Throws: ``Store/Error`` with ``Store/Error/Code/notOwner`` where this replica is no owner or the store has
    ///   none, or if the file cannot be written.
    public func makeRecoveryCode() throws(Store.Error) -> String {
      try configuration.opening(toWrite: true) { file throws(StorageError) in
        "\(try Recovery(of: file).makeCode().code)"
      }
    }

    /// Makes this replica an owner.
    ///
    /// - Parameter code: What ``makeRecoveryCode()`` returned on an owner's device; small letters, spaces and
    ///   missing hyphens do not matter.
    /// - Throws: ``Store/Error`` with ``Store/Error/Code/invalidValue`` for what is no code, with
    ///   ``Store/Error/Code/system`` where the file has not heard of it, with ``Store/Error/Code/removed`` where the
    ///   replica has been removed, or if the file cannot be written.
    public func recover(with code: String) throws(Store.Error) {
      guard let parsed = RecoveryCode(code) else {
        throw Store.Error(
          .invalidValue,
          "using a recovery code: this is none: a character is wrong, missing or misplaced; a code has 25 "
            + "letters and digits, as `members.makeRecoveryCode()` returned them")
      }
      try configuration.opening(toWrite: true) { file throws(StorageError) in
        _ = try Recovery(of: file).use(parsed)
      }
    }

    /// Gives this replica another key, and thus another id, such as after a backup of its file got into other hands.
    ///
    /// Objects stay as they are, and what is open goes on. An owner is one at once under the new id, too; else owners are
    /// asked (``requests()``), and what is written meanwhile counts once one has admitted it. The former key is of use to
    /// whoever has it until an owner removes the former id (``remove(_:)``). Owners cannot be removed.
    ///
    /// - Returns: The new id, thirty-two digits.
    /// - Throws: ``Store/Error`` with ``Store/Error/Code/system`` where no owner has admitted the replica, with
    ///   ``Store/Error/Code/removed`` where one has removed it, or if the file cannot be written.
    public func rotateKey() throws(Store.Error) -> String {
      try configuration.opening(toWrite: true) { file throws(StorageError) in
        "\(try KeyRotation(of: file).run().replica)"
      }
    }

    private func replica(_ id: String, _ doing: String) throws(Store.Error) -> ReplicaID {
      if let replica = ReplicaID(id.lowercased()) { return replica }
      throw Store.Error(
        .invalidValue,
        "\(doing): \"\(id)\" is no id of a replica; it has 32 hexadecimal digits, as "
          + "`members.ownID()` and `atoll peers` show them there")
    }

    private func reading<Result>(
      _ body: (StoreFile) throws(StorageError) -> Result
    ) throws(Store.Error) -> Result {
      try configuration.opening(toWrite: false, body)
    }
  }

  /// A replica that was admitted to the store, or removed from it.
  public struct Member: Hashable, Sendable {
    /// Thirty-two hexadecimal digits.
    public let id: String
    /// Its name; nil if it has none.
    public let name: String?
    /// True if it admits others.
    public let isOwner: Bool
    /// True if the id of the store is made of its key.
    public let isFounder: Bool
    /// True if an owner has removed it; what it writes since then counts for nothing.
    public let isRemoved: Bool
  }
}
