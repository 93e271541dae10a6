/// Rows of text whose cells stand below each other in a terminal.
///
/// Widths are those of the widest cells among the first ``rowsKept`` rows, the heading's included;
/// what comes later is written as it comes, so that a table has no bound. A column that is wider
/// there pushes the rest of its row aside.
struct AlignedTable {
  static let rowsKept = 1000
  private static let gap = "  "

  private var kept: [[String]] = []
  /// Known once the kept rows are written.
  private var widths: [Int]?

  mutating func add(_ cells: [String], _ write: (String) -> Void) {
    if let widths {
      write(Self.line(cells, widths))
      return
    }
    kept.append(cells)
    if kept.count == Self.rowsKept { flush(write) }
  }

  /// Writes what is kept.
  mutating func flush(_ write: (String) -> Void) {
    let widths = widths ?? Self.widths(of: kept)
    self.widths = widths
    for cells in kept { write(Self.line(cells, widths)) }
    kept = []
  }

  private static func widths(of rows: [[String]]) -> [Int] {
    var widths: [Int] = []
    for cells in rows {
      for (column, cell) in cells.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], TerminalWidth.of(cell))
      }
    }
    return widths
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      line += cell
      guard column < cells.count - 1 else { continue }
      line += String(repeating: " ", count: max(0, widths[column] - TerminalWidth.of(cell))) + gap
    }
    return line
  }
}
