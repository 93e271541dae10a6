import AtollInspect
import AtollStorage
import Dispatch

/// One thread with a store opened for looking, which answers one question after the other.
///
/// A store has two: pages must not wait behind what reads the whole log.
actor StoreDesk {
  private nonisolated let executor: QueueExecutor
  private let path: String
  private var opened: Inspection?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(path: String, label: String) {
    self.path = path
    executor = QueueExecutor("atoll-studio-\(label)")
  }

  /// Asks the store, which the first who asks opens.
  ///
  /// After another file took its place, the next who asks opens that.
  func ask<Answer: Sendable>(
    _ question: @Sendable (Inspection) throws -> Answer
  ) throws -> Answer {
    do {
      return try question(try inspection())
    } catch let error as StorageError {
      if case .replaced = error { close() }
      throw error
    }
  }

  private func inspection() throws -> Inspection {
    if let opened { return opened }
    let inspection = try Inspection(path: path)
    opened = inspection
    return inspection
  }

  func close() {
    opened?.close()
    opened = nil
  }
}

/// Runs an actor's work on a queue of its own, because what SQLite does blocks its thread.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
