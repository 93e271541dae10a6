// The common tools of tests around the event loop: a place on a loop, values that arrive later, and
// a folder. Every wait has a bound.

package import AtollEventLoop
private import Foundation
private import Synchronization
import TestKit

/// A free port on 127.0.0.1.
package var anyPort: SocketAddress {
  get throws(EventLoopError) {
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else {
      throw EventLoopError("reading the address 127.0.0.1", code: -EINVAL)
    }
    return address
  }
}

/// A place on the loop: tests run the parts that need handles as its methods.
package actor OnLoop {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// The objects that the test keeps until it ends.
  package var kept: [AnyObject] = []

  package init(_ loop: EventLoop) { self.loop = loop }

  package func run<T: Sendable, Failure: Error>(
    _ body: @Sendable (isolated OnLoop) throws(Failure) -> T
  ) async throws(Failure) -> T {
    try body(self)
  }

  package func keep(_ object: AnyObject) { kept.append(object) }

  /// Two ends of one TCP connection, when both are there.
  package func pair(
    _ body: @escaping @Sendable (_ server: ByteStream, _ client: ByteStream) -> Void
  ) throws(EventLoopError) {
    var accepted: ByteStream?
    var connected: ByteStream?
    func begin() {
      if let accepted, let connected { body(accepted, connected) }
    }
    let listener = try TCPListener(address: try anyPort, loop: loop) { stream in
      accepted = stream
      begin()
    }
    let client = ByteStream(connectingTo: listener.address, loop: loop)
    client.onConnect = {
      connected = client
      begin()
    }
  }
}

/// Makes a loop, lends a place on it, and stops it.
package func withLoop(_ body: (OnLoop) async throws -> Void) async throws {
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
package final class Promise<Value: Sendable>: Sendable {
  package struct TimedOut: Error {}
  private enum State {
    case open([CheckedContinuation<Value?, Never>])
    case kept(Value)
    case broken
  }
  private let state = Mutex(State.open([]))

  package init() {}

  package var isKept: Bool {
    state.withLock { state in
      if case .kept = state { true } else { false }
    }
  }

  package func keep(_ value: Value) {
    resolve(.kept(value), with: value)
  }

  /// The value, or an error after `bound`.
  package func value(within bound: Duration = .seconds(10)) async throws -> Value {
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
package final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  package init(_ value: Value) { self.value = Mutex(value) }

  package func withLock<T: Sendable>(_ body: (inout Value) -> T) -> T {
    value.withLock { body(&$0) }
  }
}

/// A folder for sockets and files, removed with everything in it.
package func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(folder.url.path)
}
