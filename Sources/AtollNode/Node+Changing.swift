internal import AtollEventLoop
import AtollPresence
internal import AtollReplication
package import AtollTransport
internal import AtollVocabulary

extension Node {
  /// Serves these stores and connects to these peers from now on; what stays the same goes on.
  ///
  /// - Returns: Why stores could not be opened; the others are served.
  package func change(stores: [String], peers: [Endpoint]) async -> [NodeError] {
    let wanted = stores.map(StorePaths.init)
    for hub in hubs where !wanted.contains(hub.paths) { await close(hub) }
    self.peers = peers
    for hub in hubs { hub.change(to: peers.map { PeerID($0.description) }) }
    var failures: [NodeError] = []
    notOpened = [:]
    for paths in wanted where !hubs.contains(where: { $0.paths == paths }) {
      do throws(NodeError) {
        let opened = try await open(paths)
        if let service = services.last { serve(service, opened) }
      } catch {
        failures.append(error)
        notOpened[paths.store] = "\(error)"
      }
    }
    for hub in hubs { hub.handle(.memoryChanged(memoryOfOne)) }
    reception?.open(to: hubs)
    return failures
  }

  /// Ends a store's links, then its thread; what that has not finished in its time is not waited for.
  private func close(_ hub: Hub) async {
    reception?.open(to: hubs.filter { $0 !== hub })
    await withCheckedContinuation { continuation in
      hub.stop { continuation.resume() }
    }
    hubs.removeAll { $0 === hub }
    guard let index = services.firstIndex(where: { $0.paths == hub.paths }) else { return }
    let service = services.remove(at: index)
    await withCheckedContinuation { continuation in
      endOf(service) { continuation.resume() }
    }
  }

  /// Calls `then` once, when the store is closed or has had its time.
  private func endOf(_ service: StoreService, _ then: @escaping @Sendable () -> Void) {
    var isOver = false
    var timer: LoopTimer?
    let finish = { () -> Void in
      guard !isOver else { return }
      isOver = true
      timer?.close()
      then()
    }
    timer = LoopTimer(loop: loop) { finish() }
    timer?.start(after: Limits.stopTimeout)
    ending = finish
    service.stop { [loop] in
      loop.perform { self.assumeIsolated { $0.ending?() } }
    }
  }
}
