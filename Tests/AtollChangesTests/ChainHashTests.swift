import AtollChanges
import AtollVocabulary
import Testing

@Suite struct ChainHashTests {
  @Test func `authors have chains of their own`() {
    #expect(ChainHash.origin(of: Samples.author(1)) != ChainHash.origin(of: Samples.author(2)))
  }

  @Test func `a hash depends on every changeset before it`() {
    let origin = ChainHash.origin(of: Samples.author)
    #expect(origin.following([1]).following([2]) != origin.following([2]).following([1]))
    #expect(origin.following([1]).following([2]) != origin.following([1, 2]))
  }

  @Test func `a digest of the text abc is the one of FIPS 180-2`() {
    var digest = ContentDigest()
    digest.update(Array("abc".utf8))
    let hash = digest.finish()
    #expect(
      hash.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func `a digest does not depend on how its bytes are cut`() {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var whole = ContentDigest()
    whole.update(bytes)
    var cut = ContentDigest()
    for start in stride(from: 0, to: bytes.count, by: 7) {
      cut.update(bytes[start..<min(start + 7, bytes.count)])
    }
    let (one, other) = (whole.finish(), cut.finish())
    #expect(one == other)
  }

  @Test func `values that differ have digests that differ`() {
    let values: [PersistedValue] = [
      .null, .bool(false), .int(0), .float(0), .double(0), .double(-0.0), .date(0), .string(""),
      .data([]), .string("e\u{301}"), .string("\u{E9}"), .uuid(UniqueBytes(high: 0, low: 0)),
      .objectId(ObjectId(high: 0, low: 0)),
      .identity(ChangeIdentity(author: Samples.author, sequence: .first, index: 0)),
    ]
    #expect(Set(values.map(digest)).count == values.count)
  }

  @Test func `every NaN has one digest`() {
    #expect(digest(.double(.nan)) == digest(.double(-.nan)))
    #expect(digest(.float(.nan)) == digest(.float(Float(bitPattern: 0x7FC0_0001))))
  }

  private func digest(_ value: PersistedValue) -> ChainHash {
    var digest = ContentDigest()
    digest.update(value)
    return digest.finish()
  }
}
