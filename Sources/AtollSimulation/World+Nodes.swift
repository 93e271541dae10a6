import AtollReplication
import AtollVocabulary
import AtollWire

// The hub of a simulated node: it performs the actions of the engine.

extension World {
  func perform(_ action: Action, of node: Int) {
    switch action {
    case .connect(let peer): connect(node, to: peer)
    case .send(let link, let frame): send(frame, over: link, from: node)
    case .close(let link, _): hangUp(link, of: node)
    case .store(let action): perform(action, of: node)
    case .setTimer(let instant):
      nodes[node].timerCount += 1
      schedule.add(
        .timer(node: node, life: nodes[node].life, count: nodes[node].timerCount), at: instant)
    case .report(let event): record(event, of: node)
    }
  }

  /// Nothing that an engine can report here may happen, but for clocks and connections.
  private func record(_ event: StatusEvent, of node: Int) {
    switch event {
    case .linked:
      nodes[node].mayBePutBack = false
      announceMember(node)
    case .connectFailed, .caughtUp, .unlinked, .deferredByClock, .overflowing, .diskFull,
      .diskHasSpace, .peerDiskFull, .peerDiskHasSpace, .window, .bootstrapping, .bootstrapped,
      .wantingSnapshot, .snapshotEarly, .backfillLost:
      break
    // It is what honest nodes say to a malicious one.
    case .refused where simulation.hasForger, .equivocation where simulation.hasForger: break
    // Its maker has not heard of a removal.
    case .snapshotRefused(_, let reason)
    where report.removals > 0 && reason.contains("count for nothing here"):
      break
    case .branched, .equivocation:
      guard report.disksPutBack == 0 else { return report.forks += 1 }
      violate(.report, "node \(node): \(event)")
    case .refused, .diverged, .agreed, .snapshotRefused:
      violate(.report, "node \(node): \(event)")
    }
  }
}
