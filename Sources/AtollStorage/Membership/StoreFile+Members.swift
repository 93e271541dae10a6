import AtollChanges
import AtollLog
import AtollQuery
package import AtollVocabulary

// The replicas that exist: one object of a reserved class for each, which replicates like any other
// (`protocol/names.md`). A replica makes its own when it first meets another, not before: a file
// that is never synchronised has none, and opening one costs no changeset.
extension StoreFile {
  /// Every replica that is known to exist, ascending by id: those an object describes, and those that
  /// only wrote.
  package func members() throws(StorageError) -> [Member] {
    var members = try describedMembers()
    let known = Set(members.map(\.replica))
    let writers = try heads().map(\.author.replica)
    for replica in Set(writers).subtracting(known) {
      members.append(Member(replica: replica, isRemoved: try isRemoved(replica)))
    }
    return members.sorted { $0.replica < $1.replica }
  }

  /// Makes this replica known to all, unless it is, and says which of its former incarnations are over.
  ///
  /// To be called when another replica is met. Where somebody else has called this incarnation over, since it
  /// went on in a copy, it is called alive again; a copy does not repeat what was taken back.
  ///
  /// - Returns: Whether there was anything to say, in a changeset of its own.
  @discardableResult
  package func announce() throws(StorageError) -> Bool {
    guard try !isRemoved(author.replica) else { return false }
    if let known = try describedMember(author.replica), try unsaid(of: known).isEmpty {
      return false
    }
    try change(author.replica) { members, id throws(StorageError) in
      guard let lives = members.lives, let own = try describedMember(author.replica) else { return }
      for (incarnation, word) in try unsaid(of: own) {
        try mapAssign(
          members.stored.id, id: id, map: FieldPath(lives),
          key: Hexadecimal.text(incarnation.rawValue),
          .scalar(.string(word.rawValue)))
      }
    }
    return true
  }

  /// Has nobody wait for a replica any more; a changeset of its own, unless it was said before.
  package func retire(_ replica: ReplicaID) throws(StorageError) {
    if replica != author.replica { try requireOwner("retiring replica \(replica)") }
    try set(\.retired, of: replica, to: .bool(true))
  }

  /// Takes a retired replica back among those who are waited for.
  package func readmit(_ replica: ReplicaID) throws(StorageError) {
    guard try describedMember(replica)?.isRetired == true else { return }
    if replica != author.replica { try requireOwner("taking back replica \(replica)") }
    try set(\.retired, of: replica, to: .bool(false))
  }

  /// Says by which key others know this replica.
  ///
  /// - Parameter identity: The hash of the public key.
  /// - Throws: As any write: `locked`, `diskFull` and others.
  package func setIdentity(_ identity: [UInt8]) throws(StorageError) {
    try set(\.identity, of: author.replica, to: .data(identity))
  }

  /// Says what a replica is there for.
  package func setRole(_ role: PeerRole, of replica: ReplicaID) throws(StorageError) {
    try set(\.role, of: replica, to: .string(role.rawValue))
  }

  /// Names this replica, for everybody; a changeset of its own.
  ///
  /// - Throws: `tooLarge` for a name over `Limits.replicaNameBytes`.
  package func setReplicaName(_ name: String) throws(StorageError) {
    guard name.utf8.count <= Limits.replicaNameBytes else {
      throw StorageError.tooLarge(
        what: "a replica's name", size: name.utf8.count, limit: Limits.replicaNameBytes)
    }
    try set(\.name, of: author.replica, to: .string(name))
  }

  // MARK: Who may write, where the store has owners

  /// The admission of a replica; nil if there is none, or the store has no owners.
  package func admission(of replica: ReplicaID) throws(StorageError) -> Admission? {
    try doing("reading who is admitted") {
      try snapshot { try admissionBook.admission(of: replica) }
    }
  }

  /// Tells if changesets of a replica are taken: the store has no owners, or one has admitted it.
  package func admits(_ replica: ReplicaID) throws(StorageError) -> Bool {
    guard storeID.isOwned else { return true }
    return try admission(of: replica) != nil
  }

  /// A replica of which a peer would take nothing, among those that wrote these changesets; nil if there is none.
  func unadmitted(in holdings: Holdings) throws -> ReplicaID? {
    guard storeID.isOwned else { return nil }
    return try holdings.heads.lazy.map(\.author.replica).first {
      try admissionBook.admission(of: $0) == nil
    }
  }

  /// True if this replica may admit others; nobody may where the store has no owners.
  package var isOwner: Bool {
    get throws(StorageError) { try admission(of: author.replica) == .owner }
  }

  /// The replicas that were admitted, ascending; none where the store has no owners.
  package func admissions() throws(StorageError) -> [(replica: ReplicaID, as: Admission)] {
    guard storeID.isOwned else { return [] }
    var found: [ReplicaID: Admission] = [:]
    for admission in [Admission.writer, .owner] {
      for replica in try said(.admission(admission)) { found[replica] = admission }
    }
    for record in authors.records where storeID.isFounded(by: record.author.replica) {
      found[record.author.replica] = .owner
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Admits a replica for everybody; a changeset of its own, unless it was admitted before.
  ///
  /// - Returns: Whether there was anything to say.
  /// - Throws: `notOwner` if this replica may not, and as any write.
  @discardableResult
  package func admit(
    _ replica: ReplicaID, as admission: Admission
  ) throws(StorageError) -> Bool {
    let doing = "admitting replica \(replica)"
    guard storeID.isOwned else {
      throw .noOwners(path: path, doing: doing)
    }
    guard try !isRemoved(replica) else {
      throw .removed(path: path, doing: doing, replica: replica)
    }
    switch try self.admission(of: replica) {
    case .owner: return false
    case .writer where admission == .writer: return false
    case .writer, nil: break
    }
    try requireOwner(doing)
    return try say(.admission(admission), of: replica)
  }

  /// Removes a replica for everybody: of what it has written counts what is applied here, and nothing else.
  ///
  /// - Returns: Whether there was anything to say; a changeset of its own if there was.
  /// - Throws: `notOwner` if this replica may not, `ownerStays` if the other one is an owner, and as any write.
  @discardableResult
  package func remove(_ replica: ReplicaID) throws(StorageError) -> Bool {
    let doing = "removing replica \(replica)"
    try checkRemoval(of: replica, doing)
    guard try !isRemoved(replica) else { return false }
    return try say(.removal, of: replica)
  }

  /// Refuses what this replica may not remove, or not yet.
  func checkRemoval(of replica: ReplicaID, _ doing: String) throws(StorageError) {
    guard storeID.isOwned else { throw .noOwners(path: path, doing: doing) }
    try requireOwner(doing)
    guard try admission(of: replica) != .owner else {
      throw .ownerStays(path: path, owner: replica)
    }
    guard try hasMetSinceRestored() else {
      throw .notYet(
        path: path, doing: doing,
        detail: "the file was restored or copied, and what its replica wrote since is nowhere else",
        remedy:
          "Let it be served until a peer has that: what this file does not know yet would not count"
      )
    }
  }

  /// True unless this replica writes under another incarnation than once, of which no peer has anything.
  ///
  /// A removal by who has not yet got back what it had would leave out what others have cut off their logs.
  private func hasMetSinceRestored() throws(StorageError) -> Bool {
    let own = author
    let isFirst = !authors.records.contains {
      $0.author.replica == own.replica && $0.author.incarnation != own.incarnation
        && !OwnersWord.isAll(of: $0)
    }
    if isFirst { return true }
    return try peerProgress().contains { known in
      known.progress.holdings.heads.contains { $0.author.commonHistory == own.commonHistory }
    }
  }

  /// True if an owner has removed a replica.
  package func isRemoved(_ replica: ReplicaID) throws(StorageError) -> Bool {
    try doing("reading who is removed") {
      try snapshot { try admissionBook.isRemoved(replica) }
    }
  }

  /// The replicas that owners have removed, ascending.
  package func removals() throws(StorageError) -> [ReplicaID] {
    var removed: [ReplicaID] = []
    for replica in try said(.removal) where try isRemoved(replica) { removed.append(replica) }
    return removed.sorted()
  }

  private func said(_ said: OwnersClass) throws(StorageError) -> [ReplicaID] {
    try doing("reading what owners have said") {
      try snapshot { try admissionBook.replicas(said) }
    }
  }

  /// Says something of a replica, in a changeset of its own; false if it was said before.
  func say(_ said: OwnersClass, of replica: ReplicaID) throws(StorageError) -> Bool {
    guard let stored = try adopt([said.schema]).first else { return false }
    try beginWrite()
    do throws(StorageError) {
      let key = PersistedValue.string("\(replica)")
      // Another process may have been as quick.
      let isNew = try find(stored.id, key: key) == nil
      if isNew { _ = try create(stored.id, key: key, fields: []) }
      try commitWrite()
      return isNew
    } catch {
      rollback()
      throw error
    }
  }

  /// Admits the replica of a copy of this file as a writer, and gives the copy the changeset that says so.
  package func admit(copy: StoreFile) throws(StorageError) {
    try admit(copy.author.replica, as: .writer)
    var position = LogPosition.start
    while true {
      let batch = try entries(
        lackedBy: copy.holdings().stored, after: position, limitBytes: Limits.batchBytes,
        isForPeer: true)
      _ = try copy.apply(batch.entries.map(\.asIncoming))
      if batch.isAtEnd { return }
      position = batch.next
    }
  }

  /// Throws unless this replica is an owner, or the store has none.
  func requireOwner(_ doing: String) throws(StorageError) {
    guard storeID.isOwned, try admission(of: author.replica) != .owner else { return }
    let owners = try admissions().filter { $0.as == .owner }.map(\.replica)
    throw .notOwner(path: path, doing: doing, owners: owners)
  }

  /// Refuses an object that is about what is no replica, or by whom may not make it.
  func checkOwnersWord(_ key: PersistedValue?, in entry: ClassEntry) throws {
    let replica = try AdmissionBook.replica(key, in: entry)
    let doing =
      switch entry.owners {
      case .removal: "removing replica \(replica)"
      case .request: "asking owners to admit replica \(replica)"
      case .admission, nil: "admitting replica \(replica)"
      }
    guard storeID.isOwned else { throw StorageError.noOwners(path: path, doing: doing) }
    if entry.owners?.isOwners == true { try requireOwner(doing) }
  }

  /// Refuses to write in a file whose replica an owner has removed.
  func requireNotRemoved() throws {
    guard try admissionBook.isRemoved(author.replica) else { return }
    throw StorageError.removed(path: path, doing: "writing", replica: author.replica)
  }

  var admissionBook: AdmissionBook {
    AdmissionBook(storeID: storeID, catalog: catalog, authors: authors)
  }
  var removalBook: RemovalBook { RemovalBook(admissions: admissionBook, log: log) }

  // MARK: Reading

  /// Those that an object describes, ascending by id.
  func describedMembers() throws(StorageError) -> [Member] {
    guard let members = try memberClass() else { return [] }
    var found: [Member] = []
    let rows = try rows(StoreQuery(members.stored.id).limited(to: Limits.vectorEntries))
    while let row = try rows.next() {
      if let member = try member(row, members) { found.append(member) }
    }
    return found.sorted { $0.replica < $1.replica }
  }

  func describedMember(_ replica: ReplicaID) throws(StorageError) -> Member? {
    guard let members = try memberClass(),
      let row = try row(of: members.stored.id, key: .string("\(replica)"))
    else { return nil }
    return try member(row, members)
  }

  /// The key that a replica's object names; nil if it names none.
  func memberIdentity(of replica: ReplicaID) throws -> [UInt8]? {
    guard let entry = catalog.entry(name: MemberClass.name, isEmbedded: false, keyType: .string)
    else { return nil }
    if caches.memberClass?.revision != catalog.revision {
      caches.memberClass = (catalog.revision, MemberClass(entry.storedClass))
    }
    guard let members = caches.memberClass?.members,
      let row = try row(of: members.stored.id, key: .string("\(replica)")),
      case .data(let identity) = members.value(\.identity, of: row)
    else { return nil }
    return identity
  }

  private func memberClass() throws(StorageError) -> MemberClass? {
    try classes.lazy.compactMap(MemberClass.init).first
  }

  /// Nil if the key is no replica's id.
  private func member(_ row: ObjectRow, _ members: MemberClass) throws(StorageError) -> Member? {
    guard case .string(let key) = row.key, let replica = ReplicaID(key) else { return nil }
    var member = Member(replica: replica, isRemoved: try isRemoved(replica))
    if case .string(let name) = members.value(\.name, of: row) { member.name = name }
    if case .data(let identity) = members.value(\.identity, of: row) { member.identity = identity }
    if case .string(let role) = members.value(\.role, of: row) {
      member.role = PeerRole(rawValue: role) ?? .write
    }
    if case .bool(let isRetired) = members.value(\.retired, of: row) {
      member.isRetired = isRetired || member.isRemoved
    }
    guard let lives = members.lives else { return member }
    for entry in try entries(of: members.stored.id, id: row.id, map: FieldPath(lives)) {
      guard let incarnation = UInt64(entry.key, radix: 16),
        case .scalar(.string(let word)) = entry.element.value
      else { continue }
      member.incarnations[Incarnation(incarnation)] =
        word == MemberClass.IncarnationState.ended.rawValue
    }
    return member
  }

  /// The incarnations of which this replica's object does not say what it should.
  private func unsaid(
    of own: Member
  ) throws(StorageError) -> [(incarnation: Incarnation, word: MemberClass.IncarnationState)] {
    let wrote = try doing("reading who wrote here") {
      try snapshot { authors.records.map(\.author) }
    }
    let known = try wrote + peerProgress().map(\.progress.peer)
    let incarnations = Set(known.filter { $0.replica == author.replica }.map(\.incarnation))
    return incarnations.sorted().compactMap { incarnation in
      let isOver = own.incarnations[incarnation]
      if incarnation == author.incarnation { return isOver == true ? (incarnation, .alive) : nil }
      return isOver == nil ? (incarnation, .ended) : nil
    }
  }

  // MARK: Writing

  private func set(
    _ property: KeyPath<MemberClass, StoredProperty?>, of replica: ReplicaID,
    to value: PersistedValue
  ) throws(StorageError) {
    if let members = try memberClass(),
      let row = try row(of: members.stored.id, key: .string("\(replica)")),
      members.value(property, of: row) == value
    {
      return
    }
    try change(replica) { members, id throws(StorageError) in
      guard let property = members[keyPath: property] else { return }
      try assign(members.stored.id, id: id, FieldPath(property), .scalar(value))
    }
  }

  /// Retires this file's replica, with its last changeset, and has another one go on in the file.
  ///
  /// - Parameters:
  ///   - former: The replica that is to be retired.
  ///   - key: The key of the other one.
  /// - Returns: False if the file is not the former one's any more.
  /// - Throws: As any write.
  func handOver(from former: ReplicaID, to key: ReplicaKey) throws(StorageError) -> Bool {
    var isDone = false
    try change(former) { members, id throws(StorageError) in
      guard author.replica == former, let retired = members.retired else { return }
      try assign(members.stored.id, id: id, FieldPath(retired), .scalar(.bool(true)))
      transaction?.nextKey = key
      isDone = true
    }
    return isDone
  }

  /// Says of a replica what was said of another one, as far as it is true of both.
  func describe(_ replica: ReplicaID, like known: Member) throws(StorageError) {
    try change(replica) { members, id throws(StorageError) in
      let values: [(StoredProperty?, PersistedValue?)] = [
        (members.name, known.name.map { .string($0) }),
        (members.identity, known.identity.map { .data($0) }),
        (members.role, known.role == .write ? nil : .string(known.role.rawValue)),
      ]
      for (property, value) in values {
        guard let property, let value else { continue }
        try assign(members.stored.id, id: id, FieldPath(property), .scalar(value))
      }
    }
  }

  /// Changes a replica's object, made if there is none, in a transaction of its own.
  private func change(
    _ replica: ReplicaID, _ body: (MemberClass, RowID) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let members = try adopt([MemberClass.schema]).first.flatMap(MemberClass.init) else {
      return
    }
    try beginWrite()
    do throws(StorageError) {
      let key = PersistedValue.string("\(replica)")
      if let known = try find(members.stored.id, key: key) {
        try body(members, known)
      } else {
        try body(members, try create(members.stored.id, key: key, fields: []))
      }
      try commitWrite()
    } catch {
      rollback()
      throw error
    }
  }
}
