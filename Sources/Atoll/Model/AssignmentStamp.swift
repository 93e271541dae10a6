import AtollStorage
import AtollVocabulary
public import Foundation

/// The time and the author of a property's last assignment.
public struct AssignmentStamp: Hashable, Sendable {
  /// The author's hybrid time, to the millisecond: never before what the author had seen.
  public let time: Date
  /// The id of the file in which the assignment was made.
  public let replica: UUID
  /// The incarnation of that file: one that was restored or copied starts another.
  public let incarnation: UInt64

  init(_ time: HybridTime, _ author: Author) {
    self.time = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    replica = UUID(UniqueBytes(high: author.replica.high, low: author.replica.low))
    incarnation = author.incarnation.rawValue
  }
}

extension PersistedProperty {
  /// The time and the author of the property's last assignment; for a collection, of the last one
  /// of its elements.
  ///
  /// Nil for a default, a primary key, and an object that no store manages. A counter has the stamp
  /// of the value that its steps were made on.
  public var stamp: AssignmentStamp? {
    guard let source = owner.source, let row = source.row,
      let path = source.path(property.slot, of: owner)
    else { return nil }
    row.check(owner, "Reading the stamp of '\(property.className).\(property.name)'")
    let stamp = row.store.attempt("reading the stamp of \(property.place)") {
      file throws(StorageError) in try file.stamp(of: row.table.classID, id: row.id, path)
    }
    return stamp.map { AssignmentStamp($0.time, $0.author) }
  }
}
