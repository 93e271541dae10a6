import Dispatch

extension Store {
  /// Opens a store for the actor that calls, or for another one.
  ///
  /// The parts that take long, making the file and migrating it, happen outside the actor. The
  /// store and everything that comes from it can then be used in the actor and nowhere else; use
  /// elsewhere stops the process with a message.
  ///
  /// ```swift
  /// @MainActor func load() async throws {
  ///   let store = try await Store.open()
  /// }
  /// ```
  ///
  /// - Throws: ``Store/Error`` as ``init(configuration:queue:)`` does; ``Store/Error/Code/system`` if
  ///   there is no actor.
  // `AtollRealm` has a function of the same form that returns a store which is open already.
  @_disfavoredOverload
  public static func open(
    configuration: Configuration = .defaultConfiguration, actor: isolated (any Actor)? = #isolation
  ) async throws(Error) -> Store {
    guard let actor else {
      throw Error(
        .system,
        "Opening '\(configuration.path)' for an actor, where there is none. Call from an actor, or "
          + "open it for a serial queue with Store(configuration:queue:).")
    }
    try await prepareElsewhere(configuration)
    return try Store(configuration, for: Confinement(to: TurnPlace(actor)))
  }

  /// The store that is open with an equal configuration in the actor, or a new one, for which the file
  /// is made and migrated outside the actor.
  ///
  /// - Throws: ``Store/Error`` as ``open(configuration:actor:)`` does.
  package static func shared(
    _ configuration: Configuration, actor: isolated any Actor
  ) async throws(Error) -> Store {
    if let open = sharedIfOpen(configuration, in: actor) { return open }
    try await prepareElsewhere(configuration)
    return try shared(configuration, in: actor)
  }

  private static func prepareElsewhere(_ configuration: Configuration) async throws(Error) {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(Error) in try prepare(configuration) })
      }
    }
    try result.get()
  }

  /// Opens a file once and closes it, so that it is there and migrated.
  package static func prepare(_ configuration: Configuration) throws(Error) {
    try Store(configuration.observing, for: Confinement()).close()
  }

  /// Moves on to the newest state as ``refresh()`` does, letting others in the actor go first.
  ///
  /// Returns whether that is another state than before.
  @discardableResult
  public func asyncRefresh(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await Task.yield()
    return refresh()
  }
}
