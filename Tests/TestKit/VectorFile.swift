package import AtollVocabulary
package import Foundation

/// The files in `protocol/vectors/changesets`: blocks of `key: text` lines, divided by empty lines.
package struct VectorFile {
  package struct Block: CustomStringConvertible {
    package var lines: [(key: String, text: String)]

    package func all(_ key: String) -> [String] { lines.filter { $0.key == key }.map(\.text) }

    package func one(_ key: String) throws -> String {
      guard let text = all(key).first else { throw Unreadable(block: description, key: key) }
      return text
    }

    package func bytes(_ key: String) throws -> [UInt8] {
      guard let bytes = Hexadecimal.bytes(all(key).joined().filter({ $0 != " " })) else {
        throw Unreadable(block: description, key: key)
      }
      return bytes
    }

    package func author(_ key: String = "author") throws -> Author {
      guard let author = Author(try one(key)) else {
        throw Unreadable(block: description, key: key)
      }
      return author
    }

    package var description: String { all("name").first ?? "" }
  }

  package let blocks: [Block]

  package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../protocol/vectors/changesets").standardizedFileURL

  package init(_ name: String) throws {
    let file = Self.folder.appending(path: "\(name).txt")
    blocks = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n\n").map { block in
        Block(
          lines: block.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
          })
      }.filter { !$0.lines.isEmpty }
  }

  /// A block that lacks a line, or has one that is not what its key says.
  private struct Unreadable: Error {
    let block: String
    let key: String
  }
}
