import Testing

@testable import AtollCommand

/// The table of `atoll objects`.
@Suite struct AlignedTableTests {
  @Test func `cells stand below each other, whatever the width of their characters`() {
    var (table, lines) = (AlignedTable(), [String]())
    for cells in [["a", "b"], ["東京", "c"], ["e\u{301}", "d"], ["❤️", "e"], ["한", "f"]] {
      table.add(cells) { lines.append($0) }
    }
    table.flush { lines.append($0) }
    #expect(lines == ["a     b", "東京  c", "e\u{301}     d", "❤️    e", "한    f"])
  }

  @Test func `a table without end is written while it comes`() {
    var (table, lines) = (AlignedTable(), [String]())
    for row in 0..<AlignedTable.rowsKept + 5 {
      table.add(["\(row)", "x"]) { lines.append($0) }
      let isKept = row < AlignedTable.rowsKept - 1
      #expect(lines.count == (isKept ? 0 : row + 1))
    }
    #expect(lines.first == "0    x" && lines.last == "1004  x")
  }
}
