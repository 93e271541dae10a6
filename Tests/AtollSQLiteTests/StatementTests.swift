import AtollSQLite
import AtollVocabulary
import Testing

@Suite struct `statements that run again and again` {
  private let connection: Connection

  init() throws { connection = try Connection(path: ":memory:", access: .readWrite) }

  @Test func `a parameter keeps its value from one run to the next`() throws {
    let select = try connection.prepare("SELECT ?")
    select.bind("kept", at: 1)
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(select.string(at: 0) == "kept")
      #expect(try !select.step())
    }
  }

  @Test(arguments: [
    PersistedValue.string(String(repeating: "a", count: 1 << 20)),
    .data([UInt8](repeating: 1, count: 1 << 20)),
  ])
  func `a parameter that takes much memory is let go of after the run`(
    value: PersistedValue
  ) throws {
    let select = try connection.prepare("SELECT length(?1), ?2")
    for isReadToItsEnd in [true, false] {
      select.bind(value, at: 1)
      select.bind(Int64(7), at: 2)
      #expect(try select.step())
      #expect(select.int64(at: 0) == 1 << 20)
      if isReadToItsEnd { #expect(try !select.step()) } else { select.reset() }
      #expect(try select.step())
      #expect(select.isNull(at: 0))
      select.reset()
    }
  }

  @Test func `each parameter has its own value, whatever its length and its last one's`() throws {
    let select = try connection.prepare("SELECT ?1, ?2, ?3, length(?2)")
    let lengths = [0, 1, 64, 65, 1024, 1025, 60_000, 3, 0]
    for (run, length) in lengths.enumerated() {
      let text = String(repeating: Character(UnicodeScalar(97 + UInt8(run))), count: length)
      if run.isMultiple(of: 2) { select.bind("first \(run)", at: 1) }
      select.bind(text, at: 2)
      select.bind([UInt8](repeating: UInt8(run), count: length), at: 3)
      #expect(try select.step())
      #expect(select.string(at: 0) == "first \(run & ~1)")
      #expect(select.string(at: 1) == text)
      #expect(select.bytes(at: 2) == [UInt8](repeating: UInt8(run), count: length))
      #expect(!select.isNull(at: 1) && !select.isNull(at: 2))
      #expect(select.int64(at: 3) == Int64(length))
      select.reset()
    }
  }

  @Test func `a parameter that is not there is refused, not written past the others`() throws {
    let select = try connection.prepare("SELECT ?1")
    for index in [Int32(0), 2, -1, .max] {
      select.bind("text", at: index)
      #expect(throws: SQLiteError.self) { try select.step() }
    }
    select.bind("text", at: 1)
    #expect(try select.step())
    #expect(select.string(at: 0) == "text")
  }
}
