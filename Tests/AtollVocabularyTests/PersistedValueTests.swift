import AtollVocabulary
import Testing

@Suite struct PersistedValueTests {
  private let identity = ChangeIdentity(
    author: Author(replica: ReplicaID(high: 1, low: 2), incarnation: Incarnation(3)),
    sequence: .first, index: 0)

  @Test func `every NaN is one value`() {
    let values: Set<PersistedValue> = [
      .double(.nan), .double(-.nan), .double(.signalingNaN),
      .double(Double(bitPattern: 0x7FF8_0000_0000_0001)),
    ]
    #expect(values.count == 1)
    #expect(PersistedValue.float(.nan) == .float(-.signalingNaN))
    #expect(PersistedValue.date(.nan) == .date(-.nan))
  }

  @Test func `minus zero is another value than zero`() {
    #expect(PersistedValue.double(-0.0) != .double(0.0))
    #expect(PersistedValue.float(-0.0) != .float(0.0))
    #expect(PersistedValue.date(-0.0) != .date(0.0))
  }

  @Test func `strings are compared by their bytes, without Unicode normalisation`() {
    #expect("\u{E9}" == "e\u{301}")
    #expect(PersistedValue.string("\u{E9}") != .string("e\u{301}"))
    #expect(Set([PersistedValue.string("\u{E9}"), .string("e\u{301}")]).count == 2)
    #expect(PersistedValue.string("a\0b") != .string("a"))
  }

  @Test func `values of different types are never equal`() {
    let values: [PersistedValue] = [
      .null, .bool(false), .int(0), .float(0), .double(0), .string(""), .data([]), .date(0),
      .uuid(UniqueBytes(high: 0, low: 0)), .objectId(ObjectId(high: 0, low: 0)),
      .identity(identity),
    ]
    #expect(Set(values).count == values.count)
    for (place, value) in values.enumerated() {
      for (other, another) in values.enumerated() {
        #expect((value == another) == (place == other))
      }
    }
  }

  @Test func `a value knows its type, nil has none`() {
    #expect(PersistedValue.null.type == nil)
    #expect(PersistedValue.null.isNull)
    #expect(PersistedValue.date(0).type == .date)
    #expect(!PersistedValue.date(0).isNull)
  }

  @Test func `data is described by its first bytes and its length`() {
    #expect(
      PersistedValue.data([UInt8](repeating: 0xAB, count: 20)).description
        == "<\(String(repeating: "ab", count: 16))…, 20 bytes>")
    #expect(PersistedValue.data([1]).description == "<01, 1 bytes>")
  }

  @Test func `type tags are those of the protocol`() {
    #expect(PersistedType.allCases.map(\.rawValue) == Array(1...14))
    #expect(CollectionKind.allCases.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test func `a class without a declared key has identities for keys`() {
    let properties = [PropertySchema(name: "code", type: .string)]
    #expect(ClassSchema(name: "A", properties: properties).keyType == .identity)
    #expect(ClassSchema(name: "A", primaryKey: "code", properties: properties).keyType == .string)
    #expect(ClassSchema(name: "A", primaryKey: "x", properties: properties).keyType == .identity)
  }
}
