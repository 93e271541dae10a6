/// The number of a commit in one file: 1, 2, 3 …, local or remote alike; 0 is the empty file.
package struct CommitNumber: Hashable, Sendable, Comparable {
  package let rawValue: Int64
  package init(_ rawValue: Int64) { self.rawValue = rawValue }
  package static func < (a: CommitNumber, b: CommitNumber) -> Bool { a.rawValue < b.rawValue }
}
