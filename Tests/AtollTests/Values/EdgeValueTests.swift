import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Values that files and languages like to spoil, through a real file.
@Suite struct EdgeValueTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([EdgeHolder.self, EdgeKeyed.self])
    store = try folder.open()
  }

  private var elsewhere: EdgeHolder {
    get throws { try #require(try folder.open().objects(EdgeHolder.self).first) }
  }

  @Test func `every date comes back to the bit, alone and in collections`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var seconds: [Double] = [
      0, -0.0, 0.1, -0.1, 1e-300, .leastNonzeroMagnitude, 1e300, -1e300, .infinity, -.infinity,
      63_113_904_000,
      Date.distantPast.timeIntervalSinceReferenceDate, 1_700_000_000.123_456_7,
    ]
    for _ in 0..<200 {
      let bits = Double(bitPattern: generator.next())
      if !bits.isNaN { seconds.append(bits) }
    }
    let dates = seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    let holder = try store.write { store.create(EdgeHolder.self) }
    try store.write {
      holder.dates.append(objectsIn: dates)
      for (index, date) in dates.enumerated() { holder.dateMap["d\(index)"] = date }
    }
    func bits(_ date: Date?) -> UInt64? { date?.timeIntervalSinceReferenceDate.bitPattern }
    let other = try elsewhere
    #expect(other.dates.map(bits) == seconds.map(\.bitPattern), "seed \(seed)")
    for (index, second) in seconds.enumerated() {
      #expect(bits(other.dateMap["d\(index)"]) == second.bitPattern, "seed \(seed)")
    }
    for date in dates.prefix(20) {
      try store.write { holder.date = date }
      #expect(try bits(elsewhere.date) == bits(date) && bits(holder.date) == bits(date))
    }
    try store.write { holder.date = Date(timeIntervalSinceReferenceDate: .nan) }
    #expect(try elsewhere.date.timeIntervalSinceReferenceDate.isNaN)
  }

  @Test func `NaN and minus zero survive alone and in collections`() throws {
    let holder = try store.write { store.create(EdgeHolder.self) }
    try store.write {
      holder.double = -0.0
      holder.float = .nan
      holder.doubles.append(objectsIn: [.nan, -0.0, 0.0, nil, -.infinity])
      holder.doubleSet.insert(objectsIn: [.nan, -0.0, 0.0, .nan, -0.0])
      holder.doubleMap["nan"] = .nan
      holder.doubleMap["zero"] = -0.0
      holder.any = .double(.nan)
      holder.anyList.append(objectsIn: [.float(-0.0), .double(-0.0), .double(.nan), .int(0)])
    }
    for object in try [holder, elsewhere] {
      #expect(object.double.sign == .minus && object.float.isNaN)
      #expect(object.doubles[0]?.isNaN == true && object.doubles[1]?.sign == .minus)
      #expect(object.doubles[2]?.sign == .plus && object.doubles[3] == nil)
      #expect(object.doubleSet.count == 3)
      #expect(object.doubleMap["nan"]?.isNaN == true && object.doubleMap["zero"]?.sign == .minus)
      #expect(object.any.doubleValue?.isNaN == true)
      #expect(
        object.anyList[0].floatValue?.sign == .minus
          && object.anyList[1].doubleValue?.sign == .minus)
      #expect(object.anyList[2].doubleValue?.isNaN == true && object.anyList[3].intValue == 0)
    }
  }

  /// Texts that a careless layer would end early, normalise or fold.
  private static let texts = [
    "", "\0", "a\0b", "a\0", "é", "e\u{301}", "\u{FEFF}bom", "\u{202E}right", "👩‍👩‍👧‍👦", "\r\n",
    "\u{10FFFF}", "Å", "\u{212B}", "ﬁ", "'; DROP TABLE", "\u{FFFD}",
  ]

  @Test func `texts keep every scalar, alone and in collections`() throws {
    let holder = try store.write { store.create(EdgeHolder.self) }
    try store.write {
      holder.texts.append(objectsIn: Self.texts)
      holder.textSet.insert(objectsIn: Self.texts)
      for text in Self.texts { holder.textMap[text] = text }
    }
    func bytes(_ texts: some Sequence<String>) -> [[UInt8]] { texts.map { Array($0.utf8) } }
    func sorted(_ texts: [[UInt8]]) -> [[UInt8]] {
      texts.sorted { $0.lexicographicallyPrecedes($1) }
    }
    let expected = bytes(Self.texts)
    for object in try [holder, elsewhere] {
      #expect(bytes(object.texts) == expected)
      #expect(sorted(bytes(object.textSet)) == sorted(expected))
      #expect(bytes(object.textMap.keys) == sorted(expected))
      #expect(bytes(object.textMap.values) == sorted(expected))
      for text in Self.texts {
        #expect(object.textMap[text].map { Array($0.utf8) } == Array(text.utf8))
      }
    }
    for text in Self.texts {
      try store.write { holder.text = text }
      #expect(try Array(elsewhere.text.utf8) == Array(text.utf8))
    }
  }

  @Test func `texts that look alike are different primary keys`() throws {
    try store.write {
      for (index, text) in Self.texts.enumerated() {
        store.create(EdgeKeyed.self, value: ["key": text, "index": index])
      }
    }
    let other = try folder.open()
    #expect(other.objects(EdgeKeyed.self).count == Self.texts.count)
    for (index, text) in Self.texts.enumerated() {
      let found = other.object(ofType: EdgeKeyed.self, forPrimaryKey: text)
      #expect(found?.index == index && found.map { Array($0.key.utf8) } == Array(text.utf8))
    }
  }

  @Test func `a hundred megabytes of data come back`() throws {
    var generator = SeededGenerator(seed: 7)
    var data = Data(count: 100 << 20)
    data.withUnsafeMutableBytes { bytes in
      for word in bytes.bindMemory(to: UInt64.self).indices where word % 512 == 0 {
        bytes.storeBytes(of: generator.next(), toByteOffset: word * 8, as: UInt64.self)
      }
    }
    let holder = try store.write { store.create(EdgeHolder.self, value: ["data": data]) }
    #expect(holder.data == data)
    #expect(try elsewhere.data == data)
  }
}

final class EdgeHolder: Object {
  @Persisted(.either) var date: Date
  @Persisted(.either) var dates: List<Date>
  @Persisted(.either) var dateMap: Map<String, Date>
  @Persisted(.either) var double: Double
  @Persisted(.either) var float: Float
  @Persisted(.either) var doubles: List<Double?>
  @Persisted(.either) var doubleSet: MutableSet<Double>
  @Persisted(.either) var doubleMap: Map<String, Double>
  @Persisted(.either) var text: String
  @Persisted(.either) var texts: List<String>
  @Persisted(.either) var textSet: MutableSet<String>
  @Persisted(.either) var textMap: Map<String, String>
  @Persisted(.either) var any: AnyValue
  @Persisted(.either) var anyList: List<AnyValue>
  @Persisted(.either) var data: Data
}

final class EdgeKeyed: Object {
  @Persisted(primaryKey: .either) var key: String
  @Persisted(.either) var index: Int
}
