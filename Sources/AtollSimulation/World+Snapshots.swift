import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// Snapshots: made, given, kept and installed, and logs that are cut, with deaths at each of these.

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
  /// Who cuts has met all that were there from the beginning: two groups that cut their logs before they met
  /// could never be brought together.
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
          written: node.committed, held: isDone ? try node.holdings().held : VersionVector())
      }
    }
  }

  func makeSnapshot(_ number: Int) {
    attempt(number, "making a snapshot", at: [.makingSnapshot]) { node throws(StorageError) in
      guard let file = node.file else { return }
      try file.makeSnapshot()
      answer(number, .snapshotMade(try file.snapshotOffer()))
    }
  }

  func readSnapshot(_ number: Int, _ link: LinkID, _ request: SnapshotRequest) {
    attempt(number, "reading a snapshot") { node throws(StorageError) in
      guard let file = node.file else { return }
      let pages = try file.snapshotPages(
        of: request.id, from: request.first, count: request.count)
      if dies(number, at: .sendingPages) { return }
      let offer = pages.isEmpty ? try file.snapshotOffer() : nil
      answer(number, .snapshotRead(link, pages, offer: offer))
    }
  }

  func stage(_ number: Int, _ link: LinkID, _ id: ChainHash, _ pages: [SnapshotPage]) {
    attempt(number, "keeping pages", at: [.keepingPages]) { node throws(StorageError) in
      guard let file = node.file else { return }
      let count = pages.isEmpty ? try file.beginStaging(id) : try file.stage(pages, of: id)
      if count > 0, dies(number, at: .keptPages) { return }
      answer(number, .snapshotStaged(link, id, count: count))
    }
  }

  func install(_ number: Int, _ link: LinkID, _ id: ChainHash) {
    attempt(number, "installing", at: [.installing, .flushingSnapshot]) {
      node throws(StorageError) in
      guard let file = node.file else { return }
      let (author, written) = (file.author, try node.holdings().held[file.author])
      let before = try node.holdings().held
      let outcome = try file.installSnapshot(id)
      try countReissued(node, since: before)
      trace.combine(outcome == .installed ? 1 : 0)
      if outcome == .installed { report.snapshots += 1 }
      if file.author == author, try node.holdings().held[author] > written { report.rescues += 1 }
      if dies(number, at: .installed) { return }
      answer(
        number,
        .snapshotInstalled(link, outcome, try node.holdings(), try file.logStart()))
      reportIncarnation(node)
    }
  }

  func readBackfill(_ number: Int, _ link: LinkID, _ request: BackfillRequest) {
    attempt(number, "reading what a snapshot was made of") { node throws(StorageError) in
      guard let file = node.file else { return }
      var entry: LogEntry?
      answer(number, .backfillRead(link, try file.backfill(request, cutting: &entry)))
    }
  }

  func keep(_ number: Int, _ link: LinkID, _ backfill: Backfill) {
    attempt(number, "keeping backfill", at: [.keepingBackfill]) {
      node throws(StorageError) in
      guard let file = node.file else { return }
      let refusal = try file.keep(backfill)
      answer(number, .backfillKept(link, try file.logStart(), refusal: refusal))
    }
  }
}
