import AtollVocabulary
import Testing

@Suite struct ObjectIdTests {
  private let text = "507f1f77bcf86cd799439011"

  @Test func `an object id is read back from its text`() throws {
    let id = try #require(ObjectId(text))
    #expect(id.description == text)
    #expect(ObjectId(text.uppercased()) == id)
    #expect(ObjectId(bytes: id.bytes) == id)
  }

  @Test func `an object id begins with the seconds since 1970`() throws {
    #expect(try #require(ObjectId(text)).secondsSince1970 == 0x507F_1F77)
  }

  @Test func `object ids are ordered as their bytes`() throws {
    let later = try #require(ObjectId("507f1f78bcf86cd799439011"))
    let counted = try #require(ObjectId("507f1f77bcf86cd799439012"))
    let first = try #require(ObjectId(text))
    #expect([later, counted, first].sorted() == [first, counted, later])
  }

  @Test func `other text is no object id`() {
    for text in ["", "507f", text + "0", text + "00", "507f1f77bcf86cd79943901g"] {
      #expect(ObjectId(text) == nil, "\(text)")
    }
  }

  @Test func `a UUID is read in either case and written in capitals`() throws {
    let text = "00112233-4455-6677-8899-AABBCCDDEEFF"
    let unique = try #require(UniqueBytes(text.lowercased()))
    #expect(unique.description == text)
    #expect(unique.high == 0x0011_2233_4455_6677)
  }

  @Test func `other text is no UUID`() {
    for text in [
      "", "00112233445566778899AABBCCDDEEFF", "0011223-34455-6677-8899-AABBCCDDEEFF",
      "00112233-4455-6677-8899-AABBCCDDEEFG", "00112233-4455-6677-8899-AABBCCDDEEFF-",
    ] { #expect(UniqueBytes(text) == nil, "\(text)") }
  }
}
