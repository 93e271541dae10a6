import AtollVocabulary
import Testing

@Suite struct AuthorTests {
  private func author(_ high: UInt64, _ low: UInt64, _ incarnation: UInt64) -> Author {
    Author(
      replica: ReplicaID(high: high, low: low), incarnation: Incarnation(incarnation))
  }

  @Test func `authors are ordered as replica bytes, then incarnation`() {
    let ascending = [
      author(0, 0, .max), author(0, 1, 0), author(1, 0, 0), author(1, 0, 1), author(1, 0, 1 << 63),
      author(1 << 63, 0, 0),
    ]
    #expect(ascending.shuffled().sorted() == ascending)
  }

  @Test func `an author is read back from its text`() {
    let one = author(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0xA1)
    #expect(one.description == "0123456789abcdeffedcba9876543210.00000000000000a1")
    #expect(Author(one.description) == one)
    #expect(one.shortDescription == "01234567.0000")
  }

  @Test func `other text is no author`() {
    let good = author(1, 2, 3).description
    for text in ["", ".", good + "0", String(good.dropLast()), good + ".", "x" + good.dropFirst()] {
      #expect(Author(text) == nil, "\(text)")
    }
  }

  @Test func `a store id is thirty-two digits`() {
    let store = StoreID(high: 1, low: 255)
    #expect(store.description == "000000000000000100000000000000ff")
    #expect(StoreID(store.description) == store)
    #expect(StoreID("1") == nil)
  }

  @Test func `stamps are ordered by time, then author, then index`() {
    func stamp(_ time: UInt64, _ author: UInt64, _ index: UInt32) -> Stamp {
      Stamp(time: HybridTime(rawValue: time), author: self.author(author, 0, 0), index: index)
    }
    let ascending = [stamp(1, 9, 9), stamp(2, 1, 9), stamp(2, 2, 0), stamp(2, 2, 1)]
    #expect(ascending.reversed().sorted() == ascending)
  }

  @Test func `identities are ordered by author, then sequence, then index`() {
    func identity(_ author: UInt64, _ sequence: UInt64, _ index: UInt32) -> ChangeIdentity {
      ChangeIdentity(
        author: self.author(author, 0, 0), sequence: SequenceNumber(sequence), index: index)
    }
    let ascending = [identity(1, 9, 9), identity(2, 1, 9), identity(2, 2, 0), identity(2, 2, 1)]
    #expect(ascending.reversed().sorted() == ascending)
  }

  @Test func `a chain hash has 32 bytes`() {
    #expect(ChainHash([UInt8](repeating: 1, count: 31)) == nil)
    #expect(ChainHash([UInt8](repeating: 1, count: 33)) == nil)
    #expect(
      ChainHash([UInt8](repeating: 0xAB, count: 32))?.shortDescription == "abababababababab")
  }

  @Test func `odd generations are alive`() {
    #expect([0, 1, 2, 3].map { Generation($0).isAlive } == [false, true, false, true])
  }
}
