import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// Logs that are cut, and nodes that are to die of what snapshots need.

extension World {
  /// Has a node that comes late, or those that it may begin with, die of it.
  func armForSnapshot(_ number: Int) {
    guard !isCalm, nodes[number].isUp, chance(percent: 60) else { return }
    let own: [FaultPoint] = [
      .keepingPages, .keptPages, .installing, .flushingSnapshot, .installed, .keepingBackfill,
    ]
    nodes[number].armed = own.randomElement(using: &random)
    for node in nodes where node.isUp && node.number != number && chance(percent: 50) {
      node.armed = chance(percent: 50) ? .makingSnapshot : .sendingPages
    }
  }

  /// Some node cuts its log, now and then, as long as accidents happen.
  func truncateSomewhere() {
    guard !isCalm else { return }
    if let node = nodes.filter(\.isUp).randomElement(using: &random) { truncate(node.number) }
    schedule.add(.truncation, at: now.advanced(by: chance(upTo: .seconds(6))))
  }

  /// Cuts a log below what everybody is known to have, unless what came with a snapshot has still to come.
  ///
  /// A node that cuts has met all nodes of the beginning: two groups that cut their logs before
  /// they met could never be brought together.
  func truncate(_ number: Int) {
    guard conditions.cutsLogs else { return }
    let first = nodes.filter { $0.number != conditions.late && $0.number < conditions.nodeCount }
      .compactMap(\.replica)
    attempt(number, "truncating its log", at: [.truncating]) { node throws(StorageError) in
      guard let file = node.file, try file.logStart().missing == nil,
        try Set(file.members().map(\.replica)).isSuperset(of: first)
      else { return }
      report.truncated += try file.truncateLog(olderThan: .zero).changesets
      answer(number, .logStartChanged(try file.logStart()))
    }
  }

  /// No file loses what it wrote itself, but by truncation; at the end none has a gap, so that each has
  /// whatever it has not cut off.
  func checkHistories() {
    for node in nodes where node.isUp {
      attempt(node.number, "reading its log") { node throws(StorageError) in
        guard let file = node.file else { return }
        let logStart = try file.logStart()
        report.violations += Checker.history(
          node.number, try Self.log(of: file).map(\.id), after: logStart.truncationPoint,
          written: node.committed, stored: isDone ? try node.holdings().stored : VersionVector())
      }
    }
  }
}
