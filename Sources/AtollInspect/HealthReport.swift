package import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation

/// The sizes of a store, who uses it, and what a person should look at.
package struct HealthReport: Codable, Hashable, Sendable {
  package struct Log: Codable, Hashable, Sendable {
    package let changesets: Int
    package let bytes: Int
  }

  /// Bytes of the database.
  package let file: Int64
  /// Bytes of it that hold something.
  package let used: Int64
  /// Bytes of the file beside it with what was committed last.
  package let writeAheadLog: Int64
  package let log: Log
  /// Versions of the file that some process still shows, the newest included.
  package let versionsInUse: Int
  /// Entries of the ledger.
  package let conflicts: Int
  package let health: String
  package let conditions: [HealthCondition.Report]
}

extension Inspection {
  /// The sizes and the conditions; reads all pages of the log.
  package func health() throws -> HealthReport {
    try atOneMoment {
      let status = try status(service)
      let bytes = try file.byteCounts()
      let log = try file.logSize()
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")
      return HealthReport(
        file: bytes.total, used: bytes.used,
        writeAheadLog: (attributes?[.size] as? NSNumber)?.int64Value ?? 0,
        log: HealthReport.Log(changesets: log.changesets, bytes: log.bytes),
        versionsInUse: try file.versionsInUse(), conflicts: try file.conflictNumbers().count,
        health: status.health, conditions: status.conditions ?? [])
    }
  }
}
