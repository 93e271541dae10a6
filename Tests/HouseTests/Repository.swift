import Foundation

/// A file of the repository, with its Swift code apart from its comments and strings.
struct SourceFile: Sendable {
  /// From the repository's top, with `/`.
  let path: String
  let text: String
  let lines: [Substring]
  /// The lines with comments, strings and raw identifiers blanked out; empty unless Swift.
  let code: [Substring]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    self.code =
      path.hasSuffix(".swift")
      ? CodeMask.masked(text).split(separator: "\n", omittingEmptySubsequences: false) : []
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isMarkdown: Bool { path.hasSuffix(".md") }

  /// The target a source file belongs to: `Sources/AtollWire/Frame.swift` is of `AtollWire`.
  var target: String? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
    return String(parts[1])
  }

  /// The module a source file or a test of one belongs to.
  var module: String? {
    guard let target else { return nil }
    return path.hasPrefix("Tests/") && target.hasSuffix("Tests")
      ? String(target.dropLast("Tests".count)) : target
  }
}

/// The files that the checks look at: every text file, read once.
struct Repository: Sendable {
  let files: [SourceFile]
  /// Every file, the unread ones too.
  let paths: Set<String>

  /// The tree this test was compiled in.
  static let current = Repository(
    root: URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent())

  /// A sample that consists of these files.
  init(_ texts: [String: String]) {
    files = texts.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) }
    paths = Set(texts.keys)
  }

  private init(root: URL) {
    let listed = Repository.listedByGit(root) ?? Repository.found(below: root)
    let texts: [(path: String, text: String)] = listed.sorted().compactMap { path in
      let file = root.appendingPathComponent(path)
      guard Repository.isText(path) else { return nil }
      return (try? String(contentsOf: file, encoding: .utf8)).map { (path, $0) }
    }
    files = texts.map { SourceFile(path: $0.path, text: $0.text) }
    paths = Set(
      listed.filter { FileManager.default.fileExists(atPath: root.path + "/" + $0) })
  }

  /// The file at a path from the top; nil if there is none.
  func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  /// Tells whether a link to this path from the top would find a file or a folder.
  func contains(_ path: String) -> Bool {
    path.isEmpty || paths.contains(path) || paths.contains { $0.hasPrefix(path + "/") }
  }

  /// The folders of `Sources/`, ascending.
  var sourceFolders: [String] {
    Set(
      paths.compactMap { path in
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
      }
    ).sorted()
  }

  private static func isText(_ path: String) -> Bool {
    ["swift", "md", "c", "h", "modulemap", "diff"].contains { path.hasSuffix("." + $0) }
  }

  /// Returns the files that are tracked or about to be; nil outside a working copy, where there is
  /// nothing to ask.
  private static func listedByGit(_ root: URL) -> [String]? {
    let git = Process()
    let output = Pipe()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = [
      "git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
    ]
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil else { return nil }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0, !bytes.isEmpty else { return nil }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func found(below root: URL) -> [String] {
    let walk = FileManager.default.enumerator(atPath: root.path)
    var paths: [String] = []
    while let path = walk?.nextObject() as? String {
      if path.split(separator: "/").last?.hasPrefix(".build") ?? false {
        walk?.skipDescendants()
      } else if walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        paths.append(path)
      }
    }
    return paths
  }
}
