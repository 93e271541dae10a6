import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

#if canImport(Glibc)
import Glibc
#endif

@testable import AtollCluster

/// The effects of commands on the files of a store, beside other processes.
@Suite struct StoreFileCommandTests {
  private let folder = TemporaryFolder()

  @Test func `issue 28.8: of several processes the last one leaves one file`() throws {
    let path = folder.path("a.atoll")
    #expect(try Command.run(["init", path, "--name", "a"]).code == 0)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    let file = try StoreFile.open(path)
    #expect(try Command.run(["name", path, "b"]).code == 0)
    #expect(FileFacts.size(path: path + "-wal") ?? 0 > 0, "this process has it open")
    file.close()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    try FileManager.default.copyItem(atPath: path, toPath: folder.path("copy.atoll"))
    #expect(try Command.run(["status", folder.path("copy.atoll")]).text.contains("b"))
  }

  /// With a real mount, which only root may make.
  @Test(.enabled(if: geteuid() == 0, "only root may mount a file system for reading only"))
  func `issue 28.21: a store on a read-only file system is read`() throws {
    let file = try folder.makeCities(at: "whole.atoll")
    let text = try Command.run(["export", folder.path("whole.atoll")]).text
    file.close()
    try folder.makeCities(at: "logged.atoll").close(movingLog: false)
    for suffix in ["-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: folder.path("logged.atoll" + suffix))
    }
    try folder.makeCities(at: "shared.atoll").close(movingLog: false)
    let place = folder.path("mounted")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    guard run("/bin/mount", ["--bind", folder.url.path, place]) == 0 else {
      Issue.record("no bind mount could be made")
      return
    }
    defer { _ = run("/bin/umount", [place]) }
    #expect(run("/bin/mount", ["-o", "remount,ro,bind", place]) == 0)
    for name in ["whole.atoll", "logged.atoll", "shared.atoll"] {
      let ended = try Command.run(["export", "\(place)/\(name)"])
      #expect(ended.code == 0, "\(name): \(ended.text)")
      #expect(ended.text == text, "\(name)")
      #expect(try Command.run(["verify", "\(place)/\(name)"]).code == 0, "\(name)")
      #expect(try Command.run(["status", "\(place)/\(name)"]).code == 0, "\(name)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("whole.atoll-shm")))
    }
    let refused = try Command.run(["name", "\(place)/whole.atoll", "x"])
    #expect(refused.code == 1)
    #expect(refused.text.contains("Read-only file system"))
    #expect(refused.text.contains("Check the permissions"))
  }

  private func run(_ program: String, _ arguments: [String]) -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func `issue 28.21: gc of a store alone says why nothing goes, as --explain did`() throws {
    try folder.makeCities(at: "a.atoll").close()
    let path = folder.path("a.atoll")
    for arguments in [
      ["gc", path, "--older-than", "0", "--explain"], ["gc", path, "--older-than", "0"],
    ] {
      let ended = try Command.run(arguments)
      #expect(ended.code == 0)
      #expect(ended.text.contains("alone    no other replica was ever met"), "\(ended.text)")
      #expect(ended.text.contains(" 0 bytes"), "\(ended.text)")
    }
  }

  @Test func `issue 28.22: init and join take an id as Foundation prints it`() throws {
    let id = UUID()
    let (a, b, c) = (folder.path("a.atoll"), folder.path("b.atoll"), folder.path("c.atoll"))
    let digits = id.uuidString.lowercased().filter { $0 != "-" }
    #expect(
      try Command.run(["init", a, "--id", id.uuidString]).text.contains("store    \(digits)"))
    #expect(try Command.run(["init", b, "--id", digits]).text.contains("store    \(digits)"))
    #expect(try Command.run(["init", c]).code == 0)
    #expect(try Command.run(["join", c, id.uuidString.lowercased()]).text.contains(digits))
    let wrong = try Command.run(["init", folder.path("d.atoll"), "--id", "\(id.uuidString)0"])
    #expect(wrong.code == 64)
  }

  @Test func `issue 28.22: a replica is not retired on itself`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    try file.setRole(.write, of: file.author.replica)
    let other = ReplicaID(high: 7, low: 7)
    try file.setRole(.write, of: other)
    let own = "\(file.author.replica)"
    file.close()
    let ended = try Command.run(["peer", "retire", folder.path("a.atoll"), own])
    #expect(ended.code == 1)
    #expect(ended.text.contains("this store is that replica"))
    #expect(try Command.run(["peer", "retire", folder.path("a.atoll"), "\(other)"]).code == 0)
  }

  @Test func `issue 28.22: why says nil of what was assigned nil`() throws {
    let path = folder.path("a.atoll")
    let schema = folder.path("schema.json")
    try #"""
    {"classes":[{"name":"City","key":{"name":"name","type":"String"},"properties":[
    {"name":"extra","type":"any value"},{"name":"size","type":"Int"},
    {"name":"place","type":"embedded object","target":"Place"},{"name":"twin","type":"link","target":"City"}]},
    {"name":"Place","isEmbedded":true,"properties":[{"name":"x","type":"Int"}]}]}
    """#.write(toFile: schema, atomically: true, encoding: .utf8)
    let lines = folder.path("lines.jsonl")
    try #"""
    {"class":"City","key":"Bern","extra":1,"size":1,"place":{"x":1},"twin":{"class":"City","key":"Bern"}}
    {"class":"City","key":"Bern","extra":null,"size":null,"place":null,"twin":null}
    """#.write(toFile: lines, atomically: true, encoding: .utf8)
    #expect(try Command.run(["init", path]).code == 0)
    #expect(try Command.run(["import", path, lines, "--schema", schema]).code == 0)
    for property in ["extra", "size", "place", "twin"] {
      let ended = try Command.run(["why", path, "City", "Bern", property])
      #expect(ended.lines.first == "City \"Bern\" \(property) is nil", "\(ended.text)")
      #expect(!ended.text.contains("removed"), "\(ended.text)")
    }
  }

  @Test(arguments: [
    (
      #"{"classes":[{"name":"A","key":{"name":"k","type":"Int","indexed":true},"properties":[]}]}"#,
      #"the key of A has "indexed", expected nothing but name, type, collection, target"#
    ),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"p","type":"Int","optional":true}]}]}"#,
      #"property 1 of A has "optional""#
    ),
    (#"{"classes":[{"name":"A","embedded":true,"properties":[]}]}"#, #"class 1 has "embedded""#),
    (#"{"classes":[],"version":2}"#, #"the file has "version""#),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"p","type":"Integer"}]}]}"#,
      #"A.p is of the type "Integer", expected Bool, Int, "#
    ),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"p","type":"Int","collection":"array"}]}]}"#,
      #"A.p is a "array", expected list, set or map"#
    ),
    (#"{"classes":[{"name":"A","properties":[{"name":"p","type":"link"}]}]}"#, "A.p has no target"),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"p","type":"Int","target":"B"}]}]}"#,
      "A.p has a target"
    ),
    (#"{"classes":[{"name":"A","properties":{}}]}"#, "the properties of A: found an object"),
    (#"{"classes":[{"properties":[]}]}"#, "the name of class 1: found nothing, expected a text"),
    (#"{"classes":[}"#, "at byte 13: expected a value"),
    ("[]", "the file: found an array, expected an object"),
  ])
  func `issue 28.22: what a schema file has beyond its form is refused`(
    text: String, problem: String
  ) throws {
    let path = folder.path("a.atoll")
    #expect(try Command.run(["init", path]).code == 0)
    let schema = folder.path("schema.json")
    try text.write(toFile: schema, atomically: true, encoding: .utf8)
    let empty = folder.path("empty.jsonl")
    try "".write(toFile: empty, atomically: true, encoding: .utf8)
    let ended = try Command.run(["import", path, empty, "--schema", schema])
    #expect(ended.code == 1)
    #expect(ended.text.contains(problem), "\(ended.text)")
  }

  @Test func `issue 28.22: the form of a schema file and its types are in the help`() throws {
    let help = try Command.run(["help", "schema"]).text
    for type in PersistedType.allCases where type != .identity {
      #expect(help.contains("\(type)"), "\(type)")
    }
    for word in ["isEmbedded", "collection", "target", "list, set or map", "\"isEmbedded\": false"]
    {
      #expect(help.contains(word), "\(word)")
    }
  }
}
