import AtollEdit
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// An import as values; what `atoll import` prints of them is in `AtollCommandTests`.
@Suite struct ImportRunTests {
  private let folder = TemporaryFolder()

  /// Imports lines into a new store of notes without a primary key, and lends the run.
  private func run<Result>(
    _ lines: [String], isDry: Bool = false, onProgress: @escaping (Int) -> Void = { _ in },
    _ body: (inout ImportRun, RecordReader, StoreFile) throws -> Result
  ) throws -> Result {
    let file = try StoreFile.open(folder.path("a.atoll"), options: StoreOptions())
    defer { file.close() }
    _ = try file.adopt([
      ClassSchema(
        name: "Note",
        properties: [
          PropertySchema(name: "text", type: .string, isOptional: true),
          PropertySchema(name: "next", type: .link, isOptional: true, target: "Note"),
        ])
    ])
    try lines.joined(separator: "\n").write(
      toFile: folder.path("lines"), atomically: true, encoding: .utf8)
    let source = try #require(FileHandle(forReadingAtPath: folder.path("lines")))
    var run = try ImportRun(into: file, isDry: isDry, onProgress: onProgress)
    return try body(&run, RecordReader(source, quotes: false), file)
  }

  private static let lines = [
    #"{"class":"Note","key":{"identity":"x:1:0"},"text":"one"}"#,
    #"{"class":"Note","text":"two","next":{"class":"Note","key":{"identity":"x:1:9"}}}"#,
  ]

  @Test func `a run tells how far it is, and ends with its counts`() throws {
    var places: [Int] = []
    try run(Self.lines, onProgress: { places.append($0) }) { run, reader, file in
      try run.lines(reader)
      #expect(
        try run.finish() == ImportResult(made: 2, changed: 0, missing: 1, isDry: false))
      var count = 0
      try file.export { _ in count += 1 }
      #expect(count == 3)
    }
    let end = Self.lines.map(\.utf8.count).reduce(1, +)
    #expect(places == [Self.lines[0].utf8.count + 1, end])
  }

  @Test func `a dry run has the same counts and leaves nothing`() throws {
    try run(Self.lines, isDry: true) { run, reader, file in
      try run.lines(reader)
      let result = try run.finish()
      #expect(result.isDry && result.made == 2)
      try file.export { Issue.record("\($0)") }
    }
  }

  @Test func `a line that is wrong ends the run, with what is in by then`() throws {
    try run(Self.lines + ["{\"class\":\"Note\",\"text\":1}"]) { run, reader, _ in
      let failure = #expect(throws: ImportFailure.self) { try run.lines(reader) }
      #expect(failure?.isOfTheFile == true)
      #expect(failure?.problems.map(\.line) == [3])
      #expect(failure?.end == "nothing was imported")
    }
  }
}
