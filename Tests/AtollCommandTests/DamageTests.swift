import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// `atoll verify` of files that are damaged in many ways, with the real program.
@Suite struct DamageTests {
  private let folder = TemporaryFolder()

  private func original() throws -> Data {
    let file = try folder.makeCities(at: "original.atoll")
    file.close()
    #expect(!FileManager.default.fileExists(atPath: folder.path("original.atoll-wal")))
    return try Data(contentsOf: URL(filePath: folder.path("original.atoll")))
  }

  private func verify(_ data: Data, _ name: String) throws -> Command.Ending {
    try data.write(to: URL(filePath: folder.path(name)))
    let ended = try Command.run(["verify", folder.path(name)])
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: folder.path(name + suffix))
    }
    return ended
  }

  /// Pages that hold something: an unused byte of a page is none of what a store holds.
  private func pages(of data: Data) -> [Int] { Array(0..<data.count / 4096) }

  @Test func `issue 28.21: verify of a file with a page that is zero or noise ends with 2`() throws
  {
    let data = try original()
    #expect(try verify(data, "sound.atoll").code == 0)
    let stored = pages(of: data).filter { page in
      data[page * 4096..<(page + 1) * 4096].contains { $0 != 0 }
    }
    var random = SeededGenerator(seed: 2821)
    var codes: [Int32: Int] = [:]
    for page in stored {
      var zero = data
      zero.resetBytes(in: page * 4096..<(page + 1) * 4096)
      var noise = data
      for place in page * 4096..<(page + 1) * 4096 {
        noise[place] = UInt8.random(in: 0...255, using: &random)
      }
      for (kind, damaged) in [("zero", zero), ("noise", noise)] {
        let ended = try verify(damaged, "\(kind).atoll")
        codes[ended.code, default: 0] += 1
        #expect(ended.code == 2, "page \(page) \(kind): \(ended.code) \(ended.text.prefix(400))")
        #expect(!ended.lines.isEmpty)
      }
    }
    #expect(codes[2] == stored.count * 2)
  }

  @Test func `issue 28.21: verify of a file that is cut, empty, or has another header ends with 2`()
    throws
  {
    let data = try original()
    var cases: [(String, Data)] = [
      ("empty", Data()), ("one byte", data.prefix(1)), ("half a header", data.prefix(50)),
      ("half a page", data.prefix(2000)), ("one page", data.prefix(4096)),
      ("half", data.prefix(data.count / 8192 * 4096)), ("a page less", data.dropLast(4096)),
      ("text", Data("this is no store\n".utf8)), ("zeros", Data(count: data.count)),
    ]
    for place in [0, 15, 16, 18, 19, 20, 21, 28, 44, 56, 60, 68, 71, 100, 101, 103, 105] {
      var damaged = data
      damaged[place] ^= 0x40
      cases.append(("byte \(place)", damaged))
    }
    for (name, damaged) in cases {
      let ended = try verify(damaged, "damaged.atoll")
      // Of the bytes of the header some tell nothing that SQLite reads by.
      let isHarmless = ["byte 18", "byte 44", "byte 56"].contains(name)
      #expect(
        ended.code == (isHarmless ? 0 : 2), "\(name): \(ended.code) \(ended.text.prefix(400))")
      #expect(!ended.text.contains("Fatal error"), "\(name)")
    }
  }

  @Test func `issue 28.21: verify ends with 1 where nothing can be checked`() throws {
    let none = try Command.run(["verify", folder.path("none.atoll")])
    #expect(none.code == 1)
    #expect(none.text.contains("there is no such file"))
    #expect(try Command.run(["verify", folder.url.path]).code == 1)
    var newer = try original()
    newer[63] = 9
    let ended = try verify(newer, "newer.atoll")
    #expect(ended.code == 1)
    #expect(ended.text.contains("Update the program"))
  }

  @Test func `issue 28.21: a bit that rots is found, or is none of what the store holds`() throws {
    let data = try original()
    let before = try Command.run(["export", folder.path("original.atoll")]).text
    var random = SeededGenerator(seed: 28)
    for round in 0..<40 {
      var damaged = data
      damaged[Int.random(in: 0..<data.count, using: &random)] ^=
        1 << UInt8.random(in: 0...7, using: &random)
      try damaged.write(to: URL(filePath: folder.path("rot.atoll")))
      let ended = try Command.run(["verify", folder.path("rot.atoll")])
      #expect([0, 2].contains(ended.code), "\(round): \(ended.code) \(ended.text.prefix(400))")
      if ended.code == 0 {
        #expect(try Command.run(["export", folder.path("rot.atoll")]).text == before)
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder.path("rot.atoll" + suffix))
      }
    }
  }

  @Test func `issue 28.21: a log of another file ends verify with 2, and says what to do`() throws {
    try folder.makeCities(at: "other.atoll").close(movingLog: false)
    _ = try original()
    try FileManager.default.copyItem(
      atPath: folder.path("other.atoll-wal"), toPath: folder.path("original.atoll-wal"))
    let ended = try Command.run(["verify", folder.path("original.atoll")])
    #expect(ended.code == 2)
    #expect(ended.text.contains("does not belong to the file"))
    #expect(ended.text.contains("atoll restore"))
    #expect(try Command.run(["objects", folder.path("original.atoll"), "City"]).code == 1)
  }
}
