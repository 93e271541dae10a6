import AtollVocabulary
import TestKit
import Testing

@Suite struct ListScenarios {
  /// Runs a scenario about `items`, which start as 0, 1, 2, 3.
  private func items(
    a: (EditingList) throws -> Void, at timeA: Int64 = 10,
    b: (EditingList) throws -> Void, at timeB: Int64 = 20,
    give results: Set<String>
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: timeA) { try a(try $0.document.list("items")) }
      try peers[1].write(at: timeB) { try b(try $0.document.list("items")) }
    } expect: { peer in
      let items = try peer.shows("items")
      #expect(results.contains(items))
    }
  }

  @Test func `scenario 17 two inserts at one place are both kept, in one order`() throws {
    try items(
      a: { try $0.insert(100, at: 2) }, b: { try $0.insert(200, at: 2) },
      give: ["[0, 1, 100, 200, 2, 3]", "[0, 1, 200, 100, 2, 3]"])
  }

  @Test func `scenario 17 after the exchange an index is the same element to everyone`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let peers = try ["A", "B"].map { try Peer($0, in: folder) }
    try peers[0].write(at: 0, Model.fill)
    try exchange(peers)
    for (peer, value) in zip(peers, [100, 200]) {
      try peer.write(at: 10) { try $0.document.list("items").insert(.int(value), at: 2) }
    }
    try exchange(peers)
    let first = try peers[0].shows("items").contains("100, 200") ? 100 : 200
    for (peer, index) in zip(peers, [2, 3]) {
      try peer.write(at: 20) { try $0.document.list("items").remove(index) }
    }
    #expect(try peers[0].shows("items") == "[0, 1, \(300 - first), 2, 3]")
    #expect(try peers[1].shows("items") == "[0, 1, \(first), 2, 3]")
    try exchange(peers)
    for peer in peers { #expect(try peer.shows("items") == "[0, 1, 2, 3]") }
  }

  @Test func `scenario 18 two runs of appends stay together`() throws {
    try items(
      a: { list in for value in 101...103 { try list.append(.int(value)) } },
      b: { list in for value in 201...203 { try list.append(.int(value)) } },
      give: [
        "[0, 1, 2, 3, 101, 102, 103, 201, 202, 203]",
        "[0, 1, 2, 3, 201, 202, 203, 101, 102, 103]",
      ])
  }

  @Test func `scenario 18 two runs of inserts at index 0 stay together`() throws {
    try items(
      a: { list in for value in 101...103 { try list.insert(.int(value), at: 0) } },
      b: { list in for value in 201...203 { try list.insert(.int(value), at: 0) } },
      give: [
        "[103, 102, 101, 203, 202, 201, 0, 1, 2, 3]",
        "[203, 202, 201, 103, 102, 101, 0, 1, 2, 3]",
      ])
  }

  @Test func `scenario 18 runs written in several transactions stay together`() throws {
    try Scenario { peers in
      for (peer, first) in zip(peers, [101, 201]) {
        for value in first...first + 1 {
          try peer.write(at: 10) { try $0.document.list("items").append(.int(value)) }
        }
      }
    } expect: { peer in
      let results = ["[0, 1, 2, 3, 101, 102, 201, 202]", "[0, 1, 2, 3, 201, 202, 101, 102]"]
      try #expect(results.contains(peer.shows("items")))
    }
  }

  @Test func `scenario 19 two removals of one element are one`() throws {
    try items(a: { try $0.remove(1) }, b: { try $0.remove(1) }, give: ["[0, 2, 3]"])
  }

  @Test func `scenario 19 a removal beats an assignment, whichever is later`() throws {
    try items(a: { try $0.remove(1) }, b: { try $0.set(1, 50) }, give: ["[0, 2, 3]"])
    try items(
      a: { try $0.remove(1) }, at: 20, b: { try $0.set(1, 50) }, at: 10, give: ["[0, 2, 3]"])
  }

  @Test func `scenario 20 an assignment stays with its element when others go`() throws {
    try items(a: { try $0.remove(0) }, b: { try $0.set(2, 50) }, give: ["[1, 50, 3]"])
  }

  @Test func `scenario 21 the later assignment of an element wins`() throws {
    try items(
      a: { try $0.set(1, 50) }, at: 10, b: { try $0.set(1, 60) }, at: 20, give: ["[0, 60, 2, 3]"])
    try items(
      a: { try $0.set(1, 50) }, at: 20, b: { try $0.set(1, 60) }, at: 10, give: ["[0, 50, 2, 3]"])
  }

  @Test func `scenario 22 a clear spares what was appended at the same time`() throws {
    try items(a: { try $0.clear() }, b: { try $0.append(100) }, give: ["[100]"])
    try items(
      a: {
        try $0.clear()
        try $0.append(100)
      },
      b: {
        try $0.clear()
        try $0.append(200)
      }, give: ["[100, 200]", "[200, 100]"])
  }

  @Test func `scenario 23 an element moved twice is there once, where the later move put it`()
    throws
  {
    try items(
      a: { try $0.move(0, to: 3) }, at: 10, b: { try $0.move(0, to: 1) }, at: 20,
      give: ["[1, 0, 2, 3]"])
    try items(
      a: { try $0.move(0, to: 3) }, at: 20, b: { try $0.move(0, to: 1) }, at: 10,
      give: ["[1, 2, 3, 0]"])
  }

  @Test func `scenario 23 an element is moved and assigned`() throws {
    try items(
      a: { try $0.move(0, to: 3) }, at: 10, b: { try $0.set(0, 50) }, at: 20,
      give: ["[1, 2, 3, 50]"])
    try items(
      a: { try $0.move(0, to: 3) }, at: 20, b: { try $0.set(0, 50) }, at: 10,
      give: ["[1, 2, 3, 50]"])
  }

  @Test func `scenario 24 random edits of one list by three peers come out alike`() throws {
    var random = SeededRandom.announced("scenario 24")
    for _ in 0..<6 {
      try Scenario(["A", "B", "C"]) { peers in
        for peer in peers {
          for _ in 0...random.below(3) {
            try peer.write(at: Int64(random.below(20))) {
              try random.edit(try $0.document.list("items"))
            }
          }
        }
      } expect: { _ in
      }
    }
  }

  @Test func `scenario 25 long runs appended at the same time stay together`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    try b.receive(from: a)
    for (peer, first) in [(a, 1000), (b, 2000)] {
      try peer.write(at: 10) {
        let list = try $0.document.list("items")
        for value in first..<first + 1000 { try list.append(.int(value)) }
      }
    }
    try exchange([a, b])
    try expectEqual([a, b], "two runs of 1,000")
    let runs = [1000..<2000, 2000..<3000].map { $0.map(String.init).joined(separator: ", ") }
    let results = ["[0, 1, 2, 3, \(runs[0]), \(runs[1])]", "[0, 1, 2, 3, \(runs[1]), \(runs[0])]"]
    try #expect(results.contains(a.shows("items")))
  }
}
