import AtollLog
import AtollVocabulary
import Testing

/// The effect of control operations on an author's chain.
@Suite struct ControlTests {
  @Test func `superseded changesets count for nothing, also when the file is read again`() throws {
    let log = try Log()
    for sequence in 1...4 { try log.write(Log.author, UInt64(sequence)) }
    _ = try log.log.supersede(
      try log.record(Log.author), SequenceNumber(3)...SequenceNumber(4), by: .inCheckpoint)
    for _ in 0..<2 {
      let record = try log.record(Log.author)
      let superseded = (1...4).filter { record.isSuperseded(SequenceNumber($0)) }
      #expect(superseded == [3, 4])
      #expect(record.lastThatCounts == SequenceNumber(2))
      try log.reread()
    }
  }

  @Test func `a reissue is complete once its last changeset is there`() throws {
    let log = try Log()
    for sequence in 1...3 { try log.write(Log.author, UInt64(sequence)) }
    let record = try log.record(Log.author)
    _ = try log.log.supersede(record, SequenceNumber(2)...SequenceNumber(3), by: .inCheckpoint)
    let writer = try log.record(Log.other)
    try log.log.recordReissue(
      AuthorRecord.ReissuedRange(
        range: SequenceNumber(2)...SequenceNumber(3), writer: writer.number,
        origin: SequenceNumber(2)),
      of: record.number)
    for (written, isComplete) in [(1, false), (2, false), (3, true)] {
      try log.write(Log.other, UInt64(written))
      #expect(log.log.isReissued(record, SequenceNumber(3)) { $0.sequence } == isComplete)
    }
    #expect(log.log.isReissued(record, SequenceNumber(1)) { _ in .none })
  }

  @Test func `a release is applied once, and its time only rises`() throws {
    let log = try Log()
    try log.write(Log.author, 1)
    let record = try log.record(Log.author)
    #expect(try log.log.release(record, through: SequenceNumber(5)))
    #expect(try !log.log.release(record, through: SequenceNumber(4)))
    for milliseconds: UInt64 in [7, 3] {
      try log.log.raiseReleasedTime(
        to: HybridTime(milliseconds: milliseconds, counter: 0), by: record)
    }
    try log.reread()
    #expect(try log.record(Log.author).released == SequenceNumber(5))
    #expect(log.authors.releasedTime.milliseconds == 7)
  }
}
