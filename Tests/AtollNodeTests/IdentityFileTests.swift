import AtollNode
import AtollTransport
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

@Suite struct IdentityFileTests {
  private func mode(of path: String) throws -> Int? {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return (facts[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `a key is made once, for its user alone, and is the same ever after`() async throws {
    try await withFolder { folder in
      let file = IdentityFile(inFolder: folder)
      let identity = try file.open().identity
      #expect(try mode(of: file.path) == 0o600)
      #expect(try file.open().identity == identity)
      // Nothing that was written on the way is left.
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder) == ["atoll-identity.pem"])
    }
  }

  @Test func `many that make the key at once end with the same one`() async throws {
    try await withFolder { folder in
      let identities = try await withThrowingTaskGroup(of: NodeIdentity.self) { group in
        for _ in 0..<16 {
          group.addTask { try IdentityFile(inFolder: folder).open().identity }
        }
        return try await group.reduce(into: Set<NodeIdentity>()) { $0.insert($1) }
      }
      #expect(identities.count == 1)
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o666])
  func `a key that others can read or change is refused, with what to do`(
    permissions: Int
  ) async throws {
    try await withFolder { folder in
      let file = IdentityFile(inFolder: folder)
      _ = try file.open()
      chmod(file.path, mode_t(permissions))
      let error = #expect(throws: NodeError.self) { try file.open() }
      #expect(error?.description.contains("chmod 600 \(file.path)") == true)
    }
  }

  @Test func `what is no key is refused and left as it was`() async throws {
    try await withFolder { folder in
      let file = IdentityFile(inFolder: folder)
      for text in ["", "no key", String(repeating: "x", count: 300 << 10)] {
        try text.write(toFile: file.path, atomically: false, encoding: .utf8)
        chmod(file.path, 0o600)
        let error = #expect(throws: NodeError.self) { try file.open() }
        #expect(error?.description.contains(file.path) == true)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
      }
    }
  }

  @Test func `a folder that is not there, or in the place of the key, is named`() async throws {
    try await withFolder { folder in
      let lost = IdentityFile(inFolder: folder + "/none")
      #expect(throws: NodeError.identityFile(path: lost.path, detail: "No such file or directory"))
      {
        try lost.open()
      }
      let error = #expect(throws: NodeError.self) { try IdentityFile(folder).open() }
      #expect(error?.description.contains("it is no file") == true)
    }
  }
}
