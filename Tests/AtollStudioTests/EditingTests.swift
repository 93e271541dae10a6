import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollStudio

/// The changes by the API.
struct EditingTests {
  private let store: StudioStores
  private let folder = TemporaryFolder()
  private let routes: Routes

  init() throws {
    store = try StudioStores()
    routes = Routes(stores: [StudioStore(number: 0, path: store.path)], isReadOnly: false)
  }

  private func post(
    _ path: String, _ body: String, _ routes: Routes? = nil
  ) async throws -> Answer {
    try Answer(
      await (routes ?? self.routes).answer(
        to: StudioRequest(
          method: .post, path: "/api/v1/stores/0/\(path)", body: Data(body.utf8))))
  }

  /// A property of an airport as the API shows it.
  private func value(_ name: String, of icao: String = "LSZH") async throws -> String {
    let response = await routes.answer(
      to: StudioRequest(
        method: .get, path: "/api/v1/stores/0/object", query: ["class": "Airport", "key": icao]))
    let object = try Answer(response).json["object"] as? [String: Any]
    return object?[name].map { "\($0)" } ?? "nothing"
  }

  @Test func `an edit is a changeset, and undo is another`() async throws {
    let before = try store.file.lastLogPosition().rawValue
    let edit = """
      {"edits":[{"kind":"set","class":"Airport","key":"LSZH","values":{"name":"Zürich"}},
      {"kind":"increment","class":"Airport","key":"LSZH","path":"landings","by":5}]}
      """
    let written = try await post("edits", edit)
    #expect(written.status == 200)
    #expect(written.json["edits"] as? Int == 2)
    #expect(try await value("name") == "Zürich")
    #expect(try await value("landings") == "705")
    #expect(try store.file.lastLogPosition().rawValue == before + 1)
    let undone = try await post("undo", "{}")
    #expect(undone.json["canUndo"] as? Bool == false)
    #expect(try await value("name") == "Kloten")
    #expect(try await value("landings") == "700")
    #expect(try store.file.lastLogPosition().rawValue == before + 2)
    #expect(try await post("undo", "{}").status == 409)
  }

  @Test func `an undo does not overwrite what somebody else wrote since, unless it is told to`()
    async throws
  {
    let edit =
      "{\"edits\":[{\"kind\":\"set\",\"class\":\"Airport\",\"key\":\"LSZH\","
      + "\"values\":{\"name\":\"mine\"}}]}"
    _ = try await post("edits", edit)
    try store.rename("LSZH", "theirs")
    let refused = try await post("undo", "{}")
    #expect(refused.status == 409)
    #expect(refused.message.contains("changed since"))
    #expect(try await value("name") == "theirs")
    #expect(try await post("undo", "{\"isForced\":true}").status == 200)
    #expect(try await value("name") == "Kloten")
  }

  @Test func `an edit that cannot be made leaves nothing of the others`() async throws {
    let edits = """
      {"edits":[{"kind":"set","class":"Airport","key":"LSZH","values":{"name":"x"}},
      {"kind":"set","class":"Airport","key":"XXXX","values":{"name":"x"}}]}
      """
    let answer = try await post("edits", edits)
    #expect(answer.status == 409)
    #expect(answer.message.hasPrefix("edit 2: "))
    #expect(try await value("name") == "Kloten")
  }

  @Test(arguments: ["", "{", "[]", "{\"edits\":[]}", "{\"edits\":[{\"kind\":\"nothing\"}]}"])
  func `a body that is none is refused`(body: String) async throws {
    let answer = try await post("edits", body)
    #expect(answer.status == 400)
    #expect(!answer.message.isEmpty)
  }

  @Test(arguments: WriteResource.allCases)
  func `with --read-only nothing is changed`(resource: WriteResource) async throws {
    let closed = Routes(stores: [StudioStore(number: 0, path: store.path)], isReadOnly: true)
    let answer = try await post(resource.rawValue, "{}", closed)
    #expect(answer.status == (resource == .verify ? 200 : 403))
  }

  @Test(arguments: WriteResource.allCases)
  func `what changes something is not read`(resource: WriteResource) async throws {
    let response = await routes.answer(
      to: StudioRequest(method: .get, path: "/api/v1/stores/0/\(resource.rawValue)"))
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers["allow"] == "POST")
  }

  @Test func `a store is paused and goes on`() async throws {
    #expect(try await post("peers/pause", "{}").status == 200)
    #expect(try store.file.pausedSince() != nil)
    #expect(try await post("peers/resume", "{}").status == 200)
    #expect(try store.file.pausedSince() == nil)
  }

  @Test func `who does not wait is not accepted, and nobody retires itself`() async throws {
    let accepted = try await post("peers/accept", "{\"identity\":\"ABCD\"}")
    #expect(accepted.status == 409)
    #expect(accepted.message.contains("no one node that waits"))
    let replica = "\(store.file.author.replica)"
    let retired = try await post("peers/retire", "{\"replica\":\"\(replica)\"}")
    #expect(retired.status == 409)
    #expect(try await post("peers/remove", "{\"identity\":\"ABCD\"}").status == 409)
    #expect(try await post("peers/readmit", "{}").status == 400)
  }

  @Test func `issue 32: an owner admits and removes replicas`() async throws {
    let path = folder.path("owned.atoll")
    let file = try StoreFile.open(path, options: StoreOptions(isOwned: true))
    defer { file.close() }
    let routes = Routes(stores: [StudioStore(number: 0, path: path)], isReadOnly: false)
    let replica = String(repeating: "7", count: 32)
    let body = "{\"replica\":\"\(replica)\"}"
    #expect(try await post("peers/admit", body, routes).json["name"] as? String == replica)
    #expect(try file.admissions().map(\.as.rawValue).sorted() == ["owner", "writer"])
    let answer = try Answer(
      await routes.answer(
        to: StudioRequest(method: .get, path: "/api/v1/stores/0/replication")))
    #expect(answer.json["isOwner"] as? Bool == true)
    #expect(try await post("peers/remove-replica", body, routes).status == 200)
    #expect(try file.removals().map { "\($0)" } == [replica])
    // It is for good, and in a store without owners nobody is admitted or removed.
    #expect(try await post("peers/admit", body, routes).message.contains("for good"))
    #expect(try await post("peers/admit", body).message.contains("has no owners"))
    #expect(try await post("peers/remove-replica", "{}", routes).status == 400)
  }

  @Test func `a store is verified, compacted and backed up`() async throws {
    let verified = try await post("verify", "{}")
    #expect(verified.json["findings"] as? [String] == [])
    #expect(verified.json["objects"] as? Int == 3)
    #expect(try await post("compact", "{}").json["after"] as? Int ?? 0 > 0)
    let path = folder.path("copy.atoll")
    #expect(try await post("backup", "{\"path\":\"\(path)\"}").status == 200)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try await post("backup", "{\"path\":\"\(path)\"}").message.contains("copy.atoll"))
  }

  @Test func `an entry of the ledger that is not there is not restored`() async throws {
    let answer = try await post("conflicts/restore", "{\"numbers\":[7]}")
    #expect(answer.status == 404)
    #expect(answer.message.contains("no such entry"))
  }
}
