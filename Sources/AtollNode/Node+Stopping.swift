internal import AtollEventLoop
internal import AtollVocabulary

extension Node {
  /// The numbers of those of `signals` that the process gets, until the node has stopped.
  ///
  /// From the return on the signals do nothing else.
  ///
  /// - Throws: `NodeError` for a signal that cannot be watched.
  package func watch(signals: [Int32]) throws(NodeError) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    do throws(EventLoopError) {
      for signal in signals {
        _ = try SignalWatch(signal: signal, loop: loop) { continuation.yield(signal) }
      }
    } catch {
      throw .system(error)
    }
    return stream
  }

  /// Tells the peers, finishes the batch that is being written, closes everything.
  ///
  /// Work that a store's thread has not finished within `Limits.stopTimeout` is not waited for; if the
  /// process ends meanwhile, its transaction has not happened.
  package func stop() async {
    reception?.close()
    reception = nil
    await withCheckedContinuation { continuation in
      endLinks { continuation.resume() }
    }
    hubs = []
    await withCheckedContinuation { continuation in
      endServices { continuation.resume() }
    }
    await loop.stop()
  }

  /// Calls `then` when every link is gone; each ends within `Limits.closeTimeout`.
  private func endLinks(_ then: @escaping () -> Void) {
    var left = hubs.count
    guard left > 0 else { return then() }
    for hub in hubs {
      hub.stop {
        left -= 1
        if left == 0 { then() }
      }
    }
  }

  /// Calls `then` when every store is closed, or has had its time.
  private func endServices(_ then: @escaping () -> Void) {
    servicesLeft = services.count
    let timer = LoopTimer(loop: loop) { self.finishServices() }
    timer.start(after: Limits.stopTimeout)
    onServicesEnded = {
      timer.close()
      then()
    }
    for service in services {
      service.stop { [loop] in
        loop.perform { self.assumeIsolated { $0.serviceEnded() } }
      }
    }
    services = []
    if servicesLeft == 0 { finishServices() }
  }

  private func serviceEnded() {
    servicesLeft -= 1
    if servicesLeft == 0 { finishServices() }
  }

  private func finishServices() {
    let action = onServicesEnded
    onServicesEnded = nil
    action?()
  }
}
