public import Dispatch
public import Foundation

// Opening as Realm does it: a second `Realm()` where one is open is the same instance.

/// A store that `Realm()` can return when it is open already; `Store` alone conforms.
///
/// An initializer of a class always makes an instance; one of a protocol can return another one.
public protocol _OpenedOnce {}

extension Store: _OpenedOnce {}

extension _OpenedOnce {
  /// Opens a store for the calling thread, or for a serial queue; returns the one that is open there
  /// with an equal configuration.
  ///
  /// - Throws: `Realm.Error` as `Store.init(configuration:queue:)` does.
  public init(
    configuration: Realm.Configuration = .defaultConfiguration, queue: DispatchQueue? = nil
  ) throws {
    self.init(opened: try Store.shared(configuration, queue: queue))
  }

  /// Opens the default store with another file.
  ///
  /// - Throws: `Realm.Error` as ``init(configuration:queue:)`` does.
  public init(fileURL: URL) throws {
    var configuration = Realm.Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// Opens a store for an actor; returns the one that is open there with an equal configuration.
  ///
  /// - Throws: `Realm.Error` as `Store.open(configuration:actor:)` does.
  public init(
    configuration: Realm.Configuration = .defaultConfiguration, actor: isolated any Actor
  ) async throws {
    self.init(opened: try await Store.shared(configuration, actor: actor))
  }

  private init(opened store: Store) {
    guard let store = store as? Self else {
      preconditionFailure("Only Store conforms to _OpenedOnce.")
    }
    self = store
  }
}

extension Store {
  /// Opens a store for the actor that calls, which may be migrated and compacted meanwhile.
  ///
  /// - Throws: `Realm.Error` as `Store.open(configuration:actor:)` does.
  public static func open(
    configuration: Configuration = .defaultConfiguration, actor: isolated any Actor = #isolation
  ) async throws -> Realm {
    try await shared(configuration, actor: actor)
  }

  /// Opens a store on another thread, and then calls `callback` on the queue with a store for it.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
    callback: @escaping (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let task = AsyncOpenTask()
    let callback = Block(call: callback)
    DispatchQueue.global().async {
      let failure = failureOfPreparing(configuration)
      callbackQueue.async {
        if task.isCancelled { return }
        callback.call(
          Result {
            if let failure { throw failure }
            return try Realm(configuration: configuration, queue: callbackQueue)
          })
      }
    }
    return task
  }

  private static func failureOfPreparing(_ configuration: Configuration) -> Error? {
    do throws(Error) {
      try prepare(configuration)
      return nil
    } catch {
      return error
    }
  }
}

extension Store {
  /// Writes a copy of the file to where a configuration has it.
  ///
  /// - Throws: `Realm.Error` as `Store.writeCopy(toFile:)` does, also if the configuration is one in memory.
  public func writeCopy(configuration: Configuration) throws(Error) {
    guard let file = configuration.fileURL else {
      throw Error(
        .invalidValue,
        "Writing a copy of the store: the configuration is one in memory. Give it a fileURL.")
    }
    try writeCopy(toFile: file)
  }
}
