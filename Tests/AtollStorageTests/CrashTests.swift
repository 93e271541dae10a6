import AtollChanges
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// A process that is killed leaves whole transactions, and the lock to others.
@Suite struct `after a crash` {
  @Test func `what was committed is there, and nothing of what was not`() async throws {
    let path = TestFolder.path("killed")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try StoreFile.open(path)
      let note = try #require(try file.adopt(TestModel.all).last)
      let text = try #require(note.properties.first)
      for _ in 0..<20 {
        try file.beginWrite()
        for _ in 0..<10 {
          _ = try file.create(
            note.id, key: nil, fields: [NewField(text, .scalar(.string("committed")))])
        }
        try file.commitWrite()
      }
      try file.beginWrite()
      for _ in 0..<5000 {
        _ = try file.create(
          note.id, key: nil, fields: [NewField(text, .scalar(.string("never")))])
      }
      kill(getpid(), SIGKILL)
    }
    let file = try StoreFile.open(path)
    let note = try #require(try file.storedClass(named: "Note"))
    #expect(try file.count(StoreQuery(note.id)) == 200)
    #expect(try file.verify() == [])
    #expect(try file.appliedVector()[file.author] == SequenceNumber(20))
    try file.beginWrite(timeout: .seconds(1))
    _ = try file.create(note.id, key: nil, fields: [])
    try file.commitWrite()
    #expect(try file.appliedVector()[file.author] == SequenceNumber(21))
  }
}
