import AtollEventLoop
import Foundation
import Synchronization
import Testing

/// A place on the loop: tests run the parts that need handles as its methods.
actor OnLoop {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// What the test holds on to until it ends.
  var kept: [AnyObject] = []

  init(_ loop: EventLoop) { self.loop = loop }

  func run<T: Sendable, Failure: Error>(
    _ body: @Sendable (isolated OnLoop) throws(Failure) -> T
  ) async throws(Failure) -> T {
    try body(self)
  }

  func keep(_ object: AnyObject) { kept.append(object) }
}

/// Makes a loop, lends a place on it, and stops it.
func withLoop(_ body: (OnLoop) async throws -> Void) async throws {
  let loop = try EventLoop(name: "test")
  do {
    try await body(OnLoop(loop))
  } catch {
    await loop.stop()
    throw error
  }
  await loop.stop()
}

/// Something that happens once, waited for with a bound.
final class Promise<Value: Sendable>: Sendable {
  struct TimedOut: Error {}
  private enum State {
    case open([CheckedContinuation<Value?, Never>])
    case kept(Value)
    case broken
  }
  private let state = Mutex(State.open([]))

  func keep(_ value: Value) {
    resolve(.kept(value), with: value)
  }

  /// The value, or an error after `bound`.
  func value(within bound: Duration = .seconds(10)) async throws -> Value {
    let alarm = Task {
      try await Task.sleep(for: bound)
      resolve(.broken, with: nil)
    }
    defer { alarm.cancel() }
    let value = await withCheckedContinuation { continuation in
      let known: Value?? = state.withLock { state in
        switch state {
        case .open(let waiting):
          state = .open(waiting + [continuation])
          return nil
        case .kept(let value): return .some(value)
        case .broken: return .some(nil)
        }
      }
      if let known { continuation.resume(returning: known) }
    }
    guard let value else { throw TimedOut() }
    return value
  }

  private func resolve(_ outcome: State, with value: Value?) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
      guard case .open(let waiting) = state else { return [] }
      state = outcome
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }
}

/// A value that the loop and the test both use.
final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<T: Sendable>(_ body: (inout Value) -> T) -> T {
    value.withLock { body(&$0) }
  }
}

/// A folder for sockets and files, removed with everything in it.
func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("atoll-\(UInt32.random(in: 0 ... .max))").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(folder)
}
