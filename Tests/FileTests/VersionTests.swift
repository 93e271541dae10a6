import Atoll
import AtollVocabulary
import Dispatch
import Foundation
import TestKit
import Testing

/// The versions that a store shows, their length, and their cost for others.
@Suite struct VersionTests {
  let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  @Test func `a snapshot moves at refresh and when a write begins, and not before`() throws {
    let writer = try Store(configuration: folder.configuration())
    let reader = try Store(configuration: folder.configuration())
    try writer.note(1, "first")
    #expect(reader.numbers == [1])
    try writer.note(2, "second")
    #expect(reader.numbers == [1])
    #expect(reader.object(ofType: Note.self, forPrimaryKey: 2) == nil)
    #expect(reader.refresh())
    #expect(reader.numbers == [1, 2])
    #expect(!reader.refresh())
    try writer.note(3, "third")
    #expect(reader.numbers == [1, 2])
    try reader.beginWrite()
    #expect(reader.numbers == [1, 2, 3])
    reader.cancelWrite()
    #expect(reader.numbers == [1, 2, 3])
  }

  @Test func `versions in use are counted, and let go of`() throws {
    let writer = try Store(configuration: folder.configuration())
    var readers: [Store] = []
    for number in 1...4 {
      try writer.note(number, "")
      let reader = try Store(configuration: folder.configuration())
      #expect(reader.numbers.count == number)
      readers.append(reader)
    }
    #expect(writer.numberOfActiveVersions == 4)
    try writer.note(5, "")
    #expect(writer.numberOfActiveVersions == 5)
    readers[0].refresh()
    #expect(writer.numberOfActiveVersions == 4)
    readers[1].close()
    readers[2].invalidate()
    #expect(writer.numberOfActiveVersions == 2)
    readers = []
    #expect(writer.numberOfActiveVersions == 1)
  }

  @Test func `more versions than allowed stop a write, with who holds them`() throws {
    var configuration = folder.configuration()
    configuration.maximumNumberOfActiveVersions = 3
    let writer = try Store(configuration: configuration)
    try writer.note(1, "")
    let first = try Store(configuration: folder.configuration())
    #expect(first.numbers == [1])
    try writer.note(2, "")
    let second = try Store(configuration: folder.configuration())
    #expect(second.numbers == [1, 2])
    try writer.note(3, "")
    let third = try Store(configuration: folder.configuration())
    #expect(third.numbers == [1, 2, 3])
    try writer.note(4, "")
    let error = #expect(throws: Store.Error.self) { try writer.note(5, "") }
    #expect(error?.code == .tooManyVersions)
    let process = ProcessInfo.processInfo.processIdentifier
    #expect(error?.message.contains("4 versions of it are in use, at most 3 may be") == true)
    #expect(error?.message.contains("(process \(process)), 3 commits behind") == true)
    #expect(writer.numbers == [1, 2, 3, 4])
    first.refresh()
    try writer.note(5, "")
  }

  @Test func `a version that a killed process showed is not in use`() async throws {
    let path = folder.file().path
    try Store(configuration: folder.configuration()).close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try Store(
        configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Note.self]))
      #expect(store.numbers == [])
      #expect(store.numberOfActiveVersions == 1)
      kill(getpid(), SIGKILL)
    }
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "")
    #expect(store.numberOfActiveVersions == 1)
  }

  @Test(arguments: [false, true])
  func `a long reader does not make the log grow past its bound in 10,000 commits`(
    keepsReading: Bool
  ) throws {
    let writer = try Store(configuration: folder.configuration())
    try writer.note(0, "first")
    let reader = try Store(configuration: folder.configuration())
    let held = try #require(reader.object(ofType: Note.self, forPrimaryKey: 0))
    let notes = reader.objects(Note.self)
    #expect(notes.count == 1)
    let longest = try longestLog(of: writer, commits: 10_000) { number in
      if keepsReading { _ = reader.object(ofType: Note.self, forPrimaryKey: number % 50) }
    }
    #expect(longest > Limits.pinnedWALBytes / 4)
    #expect(longest < Limits.pinnedWALBytes)
    #expect(held.text.hasPrefix("x"))
    #expect(notes.count == 50)
    print("the log of a long reader: \(longest >> 20) MiB at most")
    reader.refresh()
    _ = try longestLog(of: writer, commits: 1500)
    #expect(try folder.size("notes.atoll-wal") < Limits.checkpointWALBytes * 3 / 2)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a long reader in another process does not make the log grow either`() async throws {
    let first = try Store(configuration: folder.configuration())
    try first.note(0, "first")
    first.close()
    let path = folder.file().path
    let reading = Task {
      _ = await #expect(processExitsWith: .success) { [path = path as String] in
        let reader = try Store(
          configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Note.self]))
        try #require(reader.numbers == [0])
        try Data().write(to: URL(fileURLWithPath: path + "-ready"))
        while !FileManager.default.fileExists(atPath: path + "-done") { usleep(10_000) }
        try #require(reader.numbers.count == 50)
      }
    }
    while !FileManager.default.fileExists(atPath: path + "-ready") {
      try await Task.sleep(for: .milliseconds(5))
    }
    let longest = try longestLog(
      of: try Store(configuration: folder.configuration()), commits: 5000)
    try Data().write(to: URL(fileURLWithPath: path + "-done"))
    await reading.value
    #expect(longest > Limits.pinnedWALBytes / 4)
    #expect(longest < Limits.pinnedWALBytes)
  }

  /// Commits some twelve thousand bytes each time; how long the log was, at its longest.
  private func longestLog(
    of writer: Store, commits: Int, _ afterEach: (Int) -> Void = { _ in }
  ) throws -> Int {
    let text = String(repeating: "x", count: 6000)
    var longest = 0
    for number in 1...commits {
      try writer.note(number % 50, text + "\(number)")
      afterEach(number)
      if number.isMultiple(of: 50) { longest = max(longest, try folder.size("notes.atoll-wal")) }
    }
    return longest
  }

  @Test func `rows that are being read are read to their end`() throws {
    let writer = try Store(configuration: folder.configuration())
    try writer.write {
      for number in 0..<2000 { writer.create(Note.self, value: ["number": number, "text": "old"]) }
    }
    let reader = try Store(configuration: folder.configuration())
    let iterator = reader.objects(Note.self).makeIterator()
    var texts = [try #require(iterator.next()).text]
    let text = String(repeating: "x", count: 60_000)
    for number in 1...900 { try writer.note(number % 50, text + "\(number)") }
    let size = try folder.size("notes.atoll-wal")
    while let note = iterator.next() { texts.append(note.text) }
    #expect(texts == Array(repeating: "old", count: 2000))
    #expect(size > Limits.pinnedWALBytes)
    // Only now is the snapshot let go of.
    for number in 1...100 { try writer.note(number % 50, text + "\(number)") }
    #expect(try folder.size("notes.atoll-wal") < Limits.pinnedWALBytes / 2)
  }
}
