import AtollStorage
import AtollVocabulary

extension Store {
  /// True if a write transaction runs.
  public var isInWriteTransaction: Bool { file.isWriting }

  /// Makes the changes of `body` in one transaction, and gives them up if it throws.
  ///
  /// The observers of `tokens` are not told what the transaction does, for instance because they
  /// show it already. Those that are called on this store's queue are told first, inside the
  /// transaction, what others did before it; where that is not so, what others did is told together
  /// with the transaction.
  ///
  /// - Throws: What `body` throws; ``Store/Error`` if the transaction cannot begin or be made
  ///   durable, for instance because the disk is full. In every case the data stays as it was.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ body: () throws -> Result
  ) throws -> Result {
    try beginTransaction()
    return try endWrite(tokens, body)
  }

  /// Makes the changes of `body` in the transaction that was begun, and ends it.
  func endWrite<Result>(
    _ tokens: [NotificationToken], _ body: () throws -> Result
  ) throws -> Result {
    do {
      for token in tokens { token.observer?.catchUp(in: self) }
      let result = try body()
      if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
      return result
    } catch {
      if isInWriteTransaction { cancelWrite() }
      throw error
    }
  }

  /// Begins a write transaction, and waits for the one that another thread or process has.
  ///
  /// - Throws: ``Store/Error/Code/locked`` with the holder's name after waiting too long.
  @_disfavoredOverload
  public func beginWrite() throws(Error) { try beginTransaction() }

  /// As ``beginWrite()``, for `AtollRealm`, whose function of that name does not throw.
  package func beginTransaction() throws(Error) { try beginWrite(waiting: nil) }

  /// Ends the process because something failed that Realm's interface has no way to throw.
  package func stop(_ error: Error) -> Never { Trap.stop(error.message) }

  /// Waits at most so long, nil for as long as the configuration says.
  func beginWrite(waiting timeout: Duration?) throws(Error) {
    checkAccess("Beginning a write transaction")
    if isFrozen {
      Trap.stop(
        "Beginning a write transaction in a frozen store, which does not change. Write to the live "
          + "one, which thaw() gives.")
    }
    if file.isWriting {
      Trap.stop("Beginning a write transaction inside another: transactions do not nest.")
    }
    if commitSignal.writerHere != nil {
      throw Error(
        .locked,
        "Beginning a write transaction: another Store of \(configuration.path) writes "
          + "\(confinement.nameHere), where nobody can wait for it. Use that one, or end its transaction first."
      )
    }
    do throws(StorageError) {
      detachStreams()
      if isPinned {
        isPinned = false
        try endRead()
      }
      try file.beginWrite(timeout: timeout)
      try recordCommitNumber()
    } catch {
      throw Error(error)
    }
    pendingError = nil
    commitSignal.begun(self)
  }

  /// Makes the changes since ``beginWrite()`` durable and visible to everybody.
  ///
  /// The observers of `tokens` are not told of them; see ``write(withoutNotifying:_:)``.
  ///
  /// - Throws: ``Store/Error`` if that fails; the transaction is then given up.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws(Error) {
    checkAccess("Committing a write transaction")
    requireTransaction("Committing")
    do throws(StorageError) {
      if let pendingError { throw pendingError }
      detachStreams()
      let commit = try commit(without: tokens.compactMap(\.observer))
      advance(to: commit?.number ?? commitNumber)
    } catch {
      giveUp()
      throw Error(error)
    }
  }

  /// Commits; who made the commit, and who is not told of it, is known before anybody can see it.
  private func commit(
    without observers: [any SilenceableObserver]
  ) throws(StorageError) -> Commit? {
    let number = CommitNumber(commitNumber.rawValue + 1)
    commitSignal.willCommit(number)
    for observer in observers { observer.silence(number) }
    var commit: Commit?
    defer {
      if commit == nil {
        commitSignal.didNotCommit(number)
        for observer in observers { observer.unsilence(number) }
      }
    }
    commit = try file.commitWrite()
    return commit
  }

  /// Gives up the changes since ``beginWrite()``; objects created since are invalidated.
  public func cancelWrite() {
    checkAccess("Cancelling a write transaction")
    requireTransaction("Cancelling")
    giveUp()
  }

  /// Rolls back, unless a failed commit has done so already.
  private func giveUp() {
    detachStreams()
    if file.isWriting { file.rollback() }
    for table in allTables { table.recordCancellation() }
    advance(to: commitNumber)
  }

  /// Moves on to the newest state of the file; observers that are called where the store belongs are
  /// told before this returns, unless one of them calls it.
  ///
  /// Returns whether that is another state than before.
  @discardableResult
  public func refresh() -> Bool {
    checkAccess("Refreshing the store")
    if isFrozen || file.isWriting { return false }
    let before = commitNumber
    shownRevision = commitSignal.revision
    release()
    pin()
    if commitNumber == before { return false }
    ownObservers?.takeTurns()
    return true
  }

  /// Lets go of the state the store shows; the next read takes the newest.
  ///
  /// Does nothing to a frozen store.
  public func invalidate() {
    if isFrozen { return }
    checkAccess("Invalidating the store")
    if file.isWriting { cancelWrite() }
    release()
  }

  func release() {
    guard isPinned else { return }
    detachStreams()
    isPinned = false
    attempt("moving the store on") { _ throws(StorageError) in try endRead() }
  }

  /// Keeps the state that is read from now on.
  func pin() {
    if isPinned, versionMoves == file.versionMoves || file.isWriting { return }
    takeNewest()
  }

  /// Goes on with the newest state: nothing was pinned, or the snapshot was moved forward because it
  /// kept the write-ahead log from being shortened.
  func takeNewest() {
    if isFrozen || file.isWriting { return }
    detachStreams()
    attempt("reading the store's state") { _ throws(StorageError) in
      if sharedFile != nil { try endRead() }
      versionMoves = file.versionMoves
      try file.beginRead()
      try recordCommitNumber()
    }
    isPinned = true
  }

  private func recordCommitNumber() throws(StorageError) {
    let number = try file.commitNumber()
    if number != commitNumber { advance(to: number) }
  }

  /// Another state is shown: every cached row is out of date.
  private func advance(to number: CommitNumber) {
    let before = commitNumber
    commitNumber = number
    version += 1
    changeCount += 1
    for table in allTables { table.forgetChanges() }
    followReads(from: before)
  }

  // MARK: Inside a transaction

  func requireTransaction(_ doing: @autoclosure () -> String) {
    guard file.isWriting else {
      if isFrozen {
        Trap.stop(
          "\(doing()) of something frozen, which does not change. Change the live one, which thaw() "
            + "gives.")
      }
      Trap.stop(
        "\(doing()) outside a write transaction. Do it inside 'try store.write { … }', or between "
          + "beginWrite() and commitWrite().")
    }
  }

  /// Makes one change; a failure of the file is kept for the commit to throw.
  func write(
    _ doing: @autoclosure () -> String, _ body: (StoreFile) throws(StorageError) -> Void
  ) {
    requireTransaction(doing())
    willChange()
    do {
      try body(file)
    } catch {
      if pendingError == nil { pendingError = error }
    }
  }

  /// Called before each change of this store's own.
  func willChange() {
    if !streams.isEmpty { detachStreams() }
    changeCount += 1
  }
}
