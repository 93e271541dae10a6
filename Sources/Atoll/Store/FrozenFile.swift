import AtollStorage
import Foundation
import Synchronization

/// A file that a store shares with what was frozen of it, until one of the two lets go.
///
/// Freezing costs no second connection: the frozen store goes on with the file as it is, and the live one,
/// when it moves on, takes another file. A file that was frozen and is not needed any more is kept for
/// that, so that a program that freezes each version has two or three connections.
final class FrozenFile: @unchecked Sendable {
  let file: StoreFile
  private let spare: SpareFile
  /// The number of stores that use the file: the live one, and the frozen one.
  private let users = Mutex(1)

  init(_ file: StoreFile, _ spare: SpareFile) {
    self.file = file
    self.spare = spare
  }

  func join() { users.withLock { $0 += 1 } }

  /// Returns whether nobody else uses the file, which is the caller's then.
  func leave() -> Bool {
    users.withLock { users in
      users -= 1
      return users == 0
    }
  }

  /// Called by the frozen store at its end, on any thread.
  func leaveFrozen() {
    guard leave() else { return }
    do {
      try file.unshare()
      spare.keep(file)
    } catch {
      file.close()
    }
  }
}

/// A file that a store opened, and that nobody reads at present.
final class SpareFile: @unchecked Sendable {
  private struct State {
    var file: Confined<StoreFile>?
    var isOver = false
  }

  private let state = Mutex(State())

  func take() -> StoreFile? {
    state.withLock { state in
      defer { state.file = nil }
      return state.file
    }?.value
  }

  /// Keeps a file, or closes it if there is one already or the store has ended.
  func keep(_ file: StoreFile) {
    let file = Confined(value: file)
    let isKept = state.withLock { state in
      guard !state.isOver, state.file == nil else { return false }
      state.file = file
      return true
    }
    if !isKept { file.value.close() }
  }

  func end() {
    state.withLock { $0.isOver = true }
    take()?.close()
  }
}

/// The place and the time at which a version was frozen.
struct FrozenOrigin {
  weak var live: Store?
  /// The place of the live store, for messages.
  let place: String
  let date = Date()

  init(_ live: Store) {
    self.live = live
    place = live.confinement.name
  }
}
