import AtollStorage
import Foundation

extension Store {
  /// The version that the store shows, for good, and for every thread.
  ///
  /// A frozen object never changes and may be used anywhere, without a lock: objects hold their
  /// values; collections, links and queries are read in one connection, one thread after the other.
  /// Freezing the same version again gives the same store. It ends with the last thing that came
  /// from it.
  ///
  /// A version that is kept keeps the write-ahead log from being shortened. Before that grows past 64 MiB
  /// the version is ended: ``isInvalidated`` is true from then on, `$property.value()` and
  /// ``keepingVersion(_:)`` throw ``Error/Code/versionEnded``, and what has to be looked up stops.
  public func freeze() -> Store {
    if isFrozen { return self }
    checkAccess("Freezing the store")
    if file.isWriting {
      Trap.stop("Freezing inside a write transaction. Freeze after it was committed.")
    }
    pin()
    if let frozenForm { return frozenForm }
    detachStreams()
    attempt("freezing the store") { file throws(StorageError) in try file.share() }
    let shared = sharedFile ?? FrozenFile(file, spare)
    sharedFile = shared
    shared.join()
    let frozen = Store(frozen: self, shared)
    frozenForm = frozen
    return frozen
  }

  /// The live store: the one that was frozen, if it belongs where this is called, or else one of the
  /// actor or the thread that calls; a live store itself.
  ///
  /// The compiler knows the calling actor, but for some closures, such as the right side of `&&`:
  /// name it there. The store that is opened for it is the same for all that is thawed there as
  /// long as anything of it is kept.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> Store {
    thawed(for: isolation)
  }

  /// The live store of an actor, or else of the thread.
  private func thawed(for actor: (any Actor)?) -> Store {
    guard let origin else {
      checkAccess("Thawing the store")
      return self
    }
    if let live = origin.live, live.confinement.isThat(of: actor), !live.isClosed { return live }
    let place = actor.map { Confinement(to: TurnPlace($0)) } ?? Confinement()
    return .found(configuration, for: place, "Thawing something frozen")
  }

  /// The live store in a state that is not older than this frozen one.
  func thawed(in actor: (any Actor)?) -> Store {
    let live = thawed(for: actor)
    live.pin()
    if live.commitNumber < commitNumber { live.refresh() }
    return live
  }

  /// True if nothing can be read any more: the store was closed, or the version of a frozen one ended.
  public var isInvalidated: Bool { isFrozen ? file.hasEndedVersion : isClosed }

  /// Calls `body`, during which the version that the store shows is not ended.
  ///
  /// - Throws: ``Error/Code/versionEnded`` if it was ended before; what `body` throws.
  public func keepingVersion<Result>(_ body: () throws -> Result) throws -> Result {
    checkAccess("Keeping a version")
    pin()
    do throws(StorageError) {
      try file.keepVersion()
    } catch {
      guard case .versionEnded = error else { throw Error(error) }
      throw endOfVersion("Keeping a version")
    }
    let kept = Confined(value: file)
    defer { kept.value.letGoOfVersion() }
    return try body()
  }

  /// Returns the error about a version that was ended.
  func endOfVersion(_ doing: String) -> Error {
    let age = origin.map { max(0, Int(-$0.date.timeIntervalSinceNow)) } ?? 0
    return Error(
      .versionEnded,
      "\(doing): the version of '\(configuration.path)' that was frozen \(age) s ago "
        + "\(origin?.place ?? "here") (commit \(commitNumber.rawValue)) was ended, because it kept the write-ahead log from being "
        + "shortened. Freeze the live object again, which thaw() gives, and keep frozen ones for a "
        + "shorter time.")
  }

  /// Stops where observers are asked for, of which there are none here.
  func checkObservable(_ doing: @autoclosure () -> String = "Observing") {
    if isFrozen {
      Trap.stop(
        "\(doing()) something frozen, which does not change and has no notifications. Observe the "
          + "live one, which thaw() gives.")
    }
  }

  /// Runs `body` while no other thread does something in a frozen store.
  @inline(__always)
  func alone<Result>(_ body: () -> Result) -> Result {
    isFrozen ? file.alone(body) : body()
  }
}

// MARK: - Moving on beside a frozen form

extension Store {
  /// Ends reading the version that is shown; a frozen form goes on with it.
  func endRead() throws(StorageError) {
    guard let shared = sharedFile else { return try file.endRead() }
    sharedFile = nil
    frozenForm = nil
    if shared.leave() {
      try file.unshare()
      file.letVersionsMove()
    } else if let file = spare.take() {
      use(file)
    } else {
      use(try StoreFile.open(configuration.path, options: configuration.options))
    }
  }

  /// Lets go of the file for good.
  func letGoOfFile() {
    spare.end()
    if let sharedFile {
      if isFrozen { return sharedFile.leaveFrozen() }
      if !sharedFile.leave() { return }
    }
    file.close()
  }
}
