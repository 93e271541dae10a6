import AtollVocabulary
import Foundation
import Testing

@Suite struct LimitsPageTests {
  @Test(arguments: Self.limits)
  func `the page says what the code does`(name: String, value: Int) throws {
    let row = try #require(Self.rows()[name], "protocol/limits.md has no row for \(name)")
    #expect(row == value)
  }

  @Test func `the page has no row beyond those compared`() throws {
    #expect(try Self.rows().keys.sorted() == Self.limits.map(\.0).sorted())
  }

  private static let limits: [(String, Int)] = [
    ("changesetBytes", Limits.changesetBytes),
    ("transactionBytes", Limits.transactionBytes),
    ("partBytes", Limits.partBytes),
    ("changesetOperations", Limits.changesetOperations),
    ("declarations", Limits.declarations),
    ("declaredClasses", Limits.declaredClasses),
    ("declaredProperties", Limits.declaredProperties),
    ("classColumns", Limits.classColumns),
    ("pairingAttempts", Limits.pairingAttempts),
    ("pairingGuesses", Limits.pairingGuesses),
    ("pairingAttemptInterval", milliseconds(Limits.pairingAttemptInterval)),
    ("branches", Limits.branches),
    ("nameBytes", Limits.nameBytes),
    ("valueBytes", Limits.valueBytes),
    ("keyBytes", Limits.keyBytes),
    ("nestingDepth", Limits.nestingDepth),
    ("positionKeyBytes", Limits.positionKeyBytes),
    ("frameBytes", Limits.frameBytes),
    ("decompressedBytes", Limits.decompressedBytes),
    ("batchBytes", Limits.batchBytes),
    ("offerBytes", Limits.offerBytes),
    ("vectorEntries", Limits.vectorEntries),
    ("acknowledgedHeads", Limits.acknowledgedHeads),
    ("knownHeads", Limits.knownHeads),
    ("unconfirmedAcknowledgements", Limits.unconfirmedAcknowledgements),
    ("reasonBytes", Limits.reasonBytes),
    ("replicaNameBytes", Limits.replicaNameBytes),
    ("digestLevels", Limits.digestLevels),
    ("digestPrefixes", Limits.digestPrefixes),
    ("digestObjects", Limits.digestObjects),
    ("snapshotPageBytes", Limits.snapshotPageBytes),
    ("snapshotPages", Limits.snapshotPages),
    ("snapshotRecordBytes", Limits.snapshotRecordBytes),
    ("snapshotWindow", Limits.snapshotWindow),
    ("declinesPassedOn", Limits.declinesPassedOn),
    ("snapshotChangesets", Int(Limits.snapshotChangesets)),
    ("leastTruncationBytes", Limits.leastTruncationBytes),
    ("unacknowledgedBytes", Limits.unacknowledgedBytes),
    ("leastWindowBytes", Limits.leastWindowBytes),
    ("expeditedBytes", Limits.expeditedBytes),
    ("expeditedChangesets", Int(Limits.expeditedChangesets)),
    ("runChangesets", Limits.runChangesets),
    ("wallClockMilliseconds", Limits.wallClockMilliseconds),
    ("inboxBytes", Limits.inboxBytes),
    ("handshakeBytes", Limits.handshakeBytes),
    ("pairingTimeout", milliseconds(Limits.pairingTimeout)),
    ("handshakeTimeout", milliseconds(Limits.handshakeTimeout)),
    ("keepAliveInterval", milliseconds(Limits.keepAliveInterval)),
    ("lazyTimeout", milliseconds(Limits.lazyTimeout)),
    ("diskFullRetryInterval", milliseconds(Limits.diskFullRetryInterval)),
    ("truncationAge", milliseconds(Limits.truncationAge)),
    ("truncationInterval", milliseconds(Limits.truncationInterval)),
    ("backfillPause", milliseconds(Limits.backfillPause)),
    ("backfillTimeout", milliseconds(Limits.backfillTimeout)),
    ("announcementDelay", milliseconds(Limits.announcementDelay)),
    ("acknowledgementInterval", milliseconds(Limits.acknowledgementInterval)),
    ("linkTimeout", milliseconds(Limits.linkTimeout)),
    ("reconnectFirstDelay", milliseconds(Limits.reconnectFirstDelay)),
    ("reconnectLastDelay", milliseconds(Limits.reconnectLastDelay)),
    ("ownBranches", Limits.ownBranches),
    ("recentChangesets", Limits.recentChangesets),
    ("strangeHeads", Limits.strangeHeads),
    ("pairingBytes", Limits.pairingBytes),
    ("pairingLinks", Limits.pairingLinks),
    ("keyLinks", Limits.keyLinks),
    ("keyReplicas", Limits.keyReplicas),
    ("deferredByAuthor", Limits.deferredByAuthor),
    ("authorsBrought", Limits.authorsBrought),
    ("sequenceNumber", Int(Limits.sequenceNumber)),
    ("stampMilliseconds", Int(Limits.stampMilliseconds)),
    ("releasedMilliseconds", Int(Limits.releasedMilliseconds)),
    ("authorsInterval", milliseconds(Limits.authorsInterval)),
    ("deferredBytes", Limits.deferredBytes),
    ("deferredChangesets", Limits.deferredChangesets),
    ("clockDrift", milliseconds(Limits.clockDrift)),
    ("deferredSweepInterval", milliseconds(Limits.deferredSweepInterval)),
  ]

  private static func milliseconds(_ duration: Duration) -> Int {
    Int(duration / .milliseconds(1))
  }

  /// Name and value of every row: `| `name` | 123 | …`.
  private static func rows() throws -> [String: Int] {
    let page = FrameVector.folder.appending(path: "../../limits.md").standardizedFileURL
    var rows: [String: Int] = [:]
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^\| `(\w+)` \| (\d+) \|/) else { continue }
      rows[String(match.1)] = Int(match.2)
    }
    return rows
  }
}
