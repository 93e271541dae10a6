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
}
