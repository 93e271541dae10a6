import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// Snapshots: made a few pages at a time so that other requests come in between, read for peers, kept as
// they come, and installed.
extension StoreWorker {
  /// Writes some more pages; until all are there the hub asks again.
  func makeSnapshot() {
    do throws(StorageError) {
      if making == nil { making = try SnapshotMaking(of: file) }
      guard let making else { return }
      guard try making.advance() else { return report([.makingSnapshot]) }
      self.making = nil
      report([.event(.snapshotMade(try file.snapshotOffer()))])
    } catch {
      examination.record(error)
      making = nil
      report([.trouble("making a snapshot: \(error)"), .event(.snapshotMade(nil))])
    }
  }

  func readSnapshot(_ link: LinkID, _ request: SnapshotRequest) {
    do throws(StorageError) {
      let pages = try file.snapshotPages(
        of: request.id, from: request.first, count: request.count)
      let offer = pages.isEmpty ? try file.snapshotOffer() : nil
      report([.event(.snapshotRead(link, pages, offer: offer))])
    } catch {
      examination.record(error)
      report([
        .trouble("reading a snapshot: \(error)"),
        .event(.snapshotRead(link, [], offer: nil)),
      ])
    }
  }

  func stage(_ link: LinkID, _ id: ChainHash, _ pages: [SnapshotPage]) {
    do throws(StorageError) {
      let count = pages.isEmpty ? try file.beginStaging(id) : try file.stage(pages, of: id)
      report([.event(.snapshotStaged(link, id, count: count))])
    } catch {
      examination.record(error)
      report([.event(.snapshotFailed(link, reason: "\(error)"))])
    }
  }

  func install(_ link: LinkID, _ id: ChainHash) {
    do throws(StorageError) {
      let outcome = try file.installSnapshot(id)
      let event = Event.snapshotInstalled(link, outcome, try holdings(), try file.logStart())
      var reports = [StoreService.Report.event(event)]
      if let made { reports.append(.committed(made, after: known)) }
      report(reports)
    } catch {
      examination.record(error)
      report([.event(.snapshotFailed(link, reason: "\(error)"))])
    }
    noteOwnCommits()
  }

  /// Another process may have truncated the log.
  func checkTruncation() throws(StorageError) {
    let version = try file.truncationVersion()
    guard version != knownTruncationVersion else { return }
    try reportLogStart()
    knownTruncationVersion = version
  }

  /// Tells what the log goes back to.
  func reportLogStart() throws(StorageError) {
    report([.event(.logStartChanged(try file.logStart()))])
  }

  func readBackfill(_ link: LinkID, _ request: BackfillRequest) {
    do throws(StorageError) {
      report([.event(.backfillRead(link, try file.backfill(request, cutting: &cutting)))])
    } catch {
      examination.record(error)
      let nothing = Backfill(truncationPoint: .none, state: .waiting, parts: [])
      report([
        .trouble("reading what a snapshot was made of: \(error)"),
        .event(.backfillRead(link, nothing)),
      ])
    }
  }

  func keep(_ link: LinkID, _ backfill: Backfill) {
    do throws(StorageError) {
      let refusal = try file.keep(backfill)
      report([.event(.backfillKept(link, try file.logStart(), refusal: refusal))])
    } catch {
      examination.record(error)
      report([.event(.snapshotFailed(link, reason: "\(error)"))])
    }
  }
}
