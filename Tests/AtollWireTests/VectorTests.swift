import AtollWire
import Testing

@Suite struct VectorTests {
  @Test(arguments: Fixture.frames.map(\.name))
  func `a vector's bytes decode to the frame it names`(name: String) throws {
    let frame = try #require(Fixture.frames.first { $0.name == name }?.frame)
    var decoder = FrameDecoder()
    decoder.append(try FrameVector(named: "preamble").bytes)
    decoder.append(try FrameVector(named: name).bytes)
    #expect(try decoder.next() == frame)
    #expect(try decoder.next() == nil)
  }

  @Test(arguments: Fixture.frames.map(\.name).filter { $0 != "changesets-compressed" })
  func `a frame's bytes are those of its vector`(name: String) throws {
    let frame = try #require(Fixture.frames.first { $0.name == name }?.frame)
    var encoder = FrameEncoder()
    let expected =
      try FrameVector(named: "preamble").bytes + FrameVector(named: name).bytes
    #expect(encoder.encode(frame) == expected)
  }

  @Test func `a hello of other versions is told by its first two bytes`() throws {
    var decoder = FrameDecoder()
    decoder.append(try FrameVector(named: "preamble").bytes)
    decoder.append(try FrameVector(named: "hello-other-versions").bytes)
    #expect(throws: WireError.otherVersions(found: 4...6)) { try decoder.next() }
  }

  @Test func `every vector is read by a test`() throws {
    let read = Fixture.frames.map(\.name) + ["preamble", "hello-other-versions"]
    #expect(try FrameVector.names() == read.sorted())
  }

  @Test func `every kind of frame has a vector`() {
    let kinds = Set(Fixture.frames.map(\.frame.kind))
    #expect(kinds == Set(Frame.Kind.allCases))
  }
}
