import AtollVocabulary
import Foundation

// Standard output, in the place of Swift's own `print`: names, keys and words of peers are in almost every
// line, and a terminal obeys none of them.

/// Prints one line, with escapes for what a terminal would obey but the tabs between columns.
func print(_ line: some CustomStringConvertible) { print(lines: [line.description]) }

/// Prints several lines, each as ``print(_:)`` does.
func print(lines: [String]) {
  let shown = lines.map { line in
    line.split(separator: "\t", omittingEmptySubsequences: false).map(\.shownOnOneLine)
      .joined(separator: "\t")
  }
  Swift.print(shown.joined(separator: "\n"))
}

/// Prints data in a form that programs read back, byte for byte.
func print(data text: String, terminator: String = "\n") {
  Swift.print(text, terminator: terminator)
}
