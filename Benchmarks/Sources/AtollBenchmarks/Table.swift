import Foundation

/// Prints figures as they come, in columns or as Markdown.
struct Table {
  var isMarkdown: Bool

  func printHeader() {
    write("row", "peer", "ours, ms", "theirs, ms", "ratio", "target")
    if isMarkdown { Swift.print("|---|---|--:|--:|--:|--:|") }
  }

  func print(_ figures: Figures) {
    write(
      figures.name, figures.peer, number(figures.ours), number(figures.theirs),
      number(figures.ratio), figures.target.map { "≤ \(number($0))" } ?? "–")
  }

  private func write(_ columns: String...) {
    if isMarkdown {
      Swift.print("| " + columns.joined(separator: " | ") + " |")
    } else {
      let widths = [56, 26, 10, 11, 8, 8]
      Swift.print(
        zip(columns, widths).enumerated().map { index, pair in
          index < 2 ? left(pair.0, pair.1) : right(pair.0, pair.1)
        }.joined(separator: " "))
    }
    fflush(nil)
  }

  private func number(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : "%.1f", value)
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
