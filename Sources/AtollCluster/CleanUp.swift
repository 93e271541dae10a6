import Foundation
import Synchronization

/// Ends what was started and removes what was made, however the demonstration ends.
final class CleanUp: Sendable {
  private struct State {
    var processes: Set<Int32> = []
    var folder: URL?
    var foreground: Int32?
  }

  private let state = Mutex(State())

  /// Removes this folder at the end.
  func add(_ folder: URL) { state.withLock { $0.folder = folder } }
  func add(_ process: Int32) { state.withLock { _ = $0.processes.insert(process) } }
  func remove(_ process: Int32) { state.withLock { _ = $0.processes.remove(process) } }

  /// Passes a signal on to this process, whose end ends the demonstration; nil stops doing so.
  func passSignals(to process: Int32?) { state.withLock { $0.foreground = process } }

  /// From now on, everything stays as it is.
  func keepEverything() { state.withLock { $0 = State() } }

  /// Ends every process that still runs and removes the folder; a second time does nothing.
  func run() { state.withLock { CleanUp.run(&$0) } }

  private static func run(_ state: inout State) {
    for process in state.processes { kill(process, SIGKILL) }
    if let folder = state.folder { try? FileManager.default.removeItem(at: folder) }
    state = State()
  }

  /// Cleans up and ends this process when it is interrupted or asked to end.
  ///
  /// Call it once in a process: the end of one source for a signal can silence another one.
  ///
  /// - Returns: what has to stay alive for as long as that holds.
  func runOnSignals() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in
        // Ends with the lock held, lest another thread see its children die and end first.
        state.withLock { state in
          if let process = state.foreground {
            kill(process, SIGTERM)
            return
          }
          CleanUp.run(&state)
          exit(128 + number)
        }
      }
      source.resume()
      return source
    }
  }
}
