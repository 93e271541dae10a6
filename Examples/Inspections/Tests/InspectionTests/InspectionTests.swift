import Foundation
import Testing

@testable import InspectionModel

@Suite(.serialized) struct InspectionTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("inspections-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Three inspectors, of whom the first can be reached by the others.
  private func withThree(
    _ body: (Inspector, Inspector, Inspector) async throws -> Void
  ) async throws {
    let storeID = UUID()
    let all = ["office", "north", "south"].map { Inspector($0, in: folder, storeID: storeID) }
    defer {
      for inspector in all { inspector.kill() }
      try? FileManager.default.removeItem(at: folder)
    }
    try await all[0].start(listening: true)
    try await all[1].start(peer: all[0].address)
    try await all[2].start(peer: all[0].address)
    try await body(all[0], all[1], all[2])
    for inspector in all { try await inspector.stop() }
  }

  @Test func `what one inspector begins, the others go on with`() async throws {
    try await withThree { office, north, south in
      try await office.submit("inspections", ["code": "B-17", "title": "Bridge 17"])
      for other in [north, south] {
        try await eventually { try await other.inspection("B-17") != nil }
      }
      for _ in 0..<3 { try await north.submit("inspection/defects?code=B-17") }
      for _ in 0..<2 { try await south.submit("inspection/defects?code=B-17") }
      try await north.submit("inspection/tags?code=B-17", ["tag": "rust"])
      try await south.submit("inspection/tags?code=B-17", ["tag": "night"])
      try await south.submit(
        "inspection/fields?code=B-17", ["field": "water level", "value": "2.5"])
      for inspector in [office, north, south] {
        try await eventually {
          let report = try await inspector.inspection("B-17")
          return report?.defects == 5 && report?.tags == ["night", "rust"]
            && report?.extra == ["water level": .number(2.5)]
        }
      }
    }
  }

  @Test func `what two wrote at once is shown, and the lost one given back`() async throws {
    try await withThree { office, north, south in
      try await office.submit("inspections", ["code": "T 4/a", "title": "Tunnel"])
      for other in [north, south] {
        try await eventually { try await other.inspection("T 4/a") != nil }
      }
      try await north.stop()
      #expect(try await north.run("rename", "T 4/a", "Tunnel, north end").contains("north end"))
      try await Task.sleep(for: .milliseconds(20))
      try await south.submit("inspection/title?code=T%204%2Fa", ["title": "Tunnel, south end"])
      try await eventually { try await office.inspection("T 4/a")?.title.contains("south") == true }
      try await north.start(peer: office.address)

      try await eventually { try await office.conflicts().count == 1 }
      let conflict = try #require(try await office.conflicts().first)
      #expect(conflict.property == "title" && conflict.inspection == "T 4/a")
      #expect(conflict.lost == "\"Tunnel, north end\"" && conflict.kept == "\"Tunnel, south end\"")
      #expect(try await office.page("").contains("Written by two at once"))
      try await office.submit("conflicts", ["id": "\(conflict.id)"])
      for inspector in [office, north, south] {
        try await eventually {
          try await inspector.inspection("T 4/a")?.title == "Tunnel, north end"
        }
      }
      #expect(try await office.conflicts().isEmpty)
    }
  }

  @Test func `the terminal shows what is there`() async throws {
    let inspector = Inspector("alone", in: folder, storeID: UUID())
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try await inspector.run("begin", "P-1", "Pump", "Oil", "Seal")
    _ = try await inspector.run("check", "P-1", "2")
    _ = try await inspector.run("defects", "P-1", "4")
    _ = try await inspector.run("tag", "P-1", "wet")
    _ = try await inspector.run("note", "P-1", "open", "yes")
    let picture = folder.appendingPathComponent("pump.jpg")
    try Data(count: 1234).write(to: picture)
    _ = try await inspector.run("photo", "P-1", picture.path)
    let text = try await inspector.run(
      "locate", "P-1", "--latitude", "46.5", "--longitude", "9.8", "--manual",
      "https://example.com/pump")
    #expect(
      text == """
        P-1  Pump  1/2  4 defects
          1. [ ] Oil
          2. [x] Seal
          at 46.5, 9.8
          manual https://example.com/pump
          tags wet
          open: yes
          photo pump.jpg, 1234 bytes

        """)
    #expect(try await inspector.run("list", "PUMP") == "P-1  Pump  1/2  4 defects\n")
    #expect(try await inspector.run("list", "nothing").isEmpty)
  }

  @Test func `pages show texts as texts, and take forms of their own only`() async throws {
    let inspector = Inspector("alone", in: folder, storeID: UUID())
    defer {
      inspector.kill()
      try? FileManager.default.removeItem(at: folder)
    }
    try await inspector.start()
    let title = "<script>alert('x')</script> & \"more\""
    #expect(try await inspector.post("inspections", ["code": "<b>", "title": title]) == 200)
    for path in ["", "inspection?code=%3Cb%3E"] {
      let page = try await inspector.page(path)
      #expect(
        page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"))
      #expect(!page.contains("<script>") && !page.contains("<b>"))
    }
    let foreign = "http://elsewhere.example"
    #expect(
      try await inspector.post("inspection/defects?code=%3Cb%3E", [:], origin: foreign) == 403)
    #expect(try await inspector.post("inspection/defects?code=nothing", [:]) == 400)
    #expect(try await inspector.post("inspections", ["code": "", "title": "x"]) == 400)
    #expect(try await inspector.page("inspection?code=nothing").contains("there is no inspection"))
    try await inspector.stop()
  }
}
