import AtollChanges
import AtollVocabulary
import AtollWire
import Testing

@Suite struct LimitsTests {
  @Test func `a hello of the most heads fits a frame`() throws {
    let heads = (0..<Limits.vectorEntries).map { index in
      ChangesetID(
        author: Author(
          replica: ReplicaID(high: 1, low: UInt64(index)), incarnation: Incarnation(1)),
        sequence: SequenceNumber(Limits.sequenceNumber), hash: Fixture.hash(3))
    }
    let holdings = Holdings(heads: heads, applied: VersionVector())
    let hello = Frame.hello(
      Hello(storeID: Fixture.store, author: Fixture.a, agent: "", holdings: holdings))
    var encoder = FrameEncoder()
    var decoder = FrameDecoder()
    decoder.append(encoder.encode(hello))
    #expect(try decoder.next() == hello)
  }

  @Test func `a reason that is too long is cut at a character`() throws {
    let text = String(repeating: "é", count: Limits.reasonBytes)
    var encoder = FrameEncoder()
    var decoder = FrameDecoder()
    decoder.append(encoder.encode(.goodbye(Goodbye(.stopping, text))))
    let kept = String(repeating: "é", count: Limits.reasonBytes / 2)
    #expect(try decoder.next() == .goodbye(Goodbye(.stopping, kept)))
  }
}
