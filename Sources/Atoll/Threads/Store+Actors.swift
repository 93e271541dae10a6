import Dispatch

extension Store {
  /// Opens a store for the actor that calls, or for another one.
  ///
  /// What takes long, which is making the file and migrating it, happens outside the actor. The
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
  public static func open(
    configuration: Configuration = Configuration(), actor: isolated (any Actor)? = #isolation
  ) async throws(Error) -> Store {
    guard let actor else {
      throw Error(
        .system,
        "Opening '\(configuration.path)' for an actor, where there is none. Call from an actor, or "
          + "open it for a serial queue with Store(configuration:queue:).")
    }
    try await prepare(configuration)
    return try Store(configuration, for: Confinement(to: TurnPlace(actor)))
  }

  /// Opens a store once, on another thread.
  private static func prepare(_ configuration: Configuration) async throws(Error) {
    var configuration = configuration
    configuration.node = .none
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [configuration] in
        continuation.resume(
          returning: Result { () throws(Error) in
            try Store(configuration: configuration).close()
          })
      }
    }
    try result.get()
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
