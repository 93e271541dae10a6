import AtollVocabulary
import Foundation

/// One file of `protocol/vectors/frames`: lines of hexadecimal digits, each with a meaning behind
/// two spaces, or `#` and a sentence.
struct FrameVector {
  let bytes: [UInt8]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../protocol/vectors/frames").standardizedFileURL

  init(named name: String) throws {
    let file = Self.folder.appending(path: "\(name).txt")
    let text = try String(contentsOf: file, encoding: .utf8)
    var bytes: [UInt8] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let part = Hexadecimal.bytes(line.prefix { $0 != " " }) else {
        throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path])
      }
      bytes += part
    }
    self.bytes = bytes
  }

  /// Every vector's name, ascending.
  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
  }
}
