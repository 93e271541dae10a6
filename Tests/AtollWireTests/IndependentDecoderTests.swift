import AtollWire
import Foundation
import TestKit
import Testing

/// `protocol/tools/decode.py` was written from the pages alone and shares no code with this module.
@Suite(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
struct IndependentDecoderTests {
  @Test func `a decoder in another language says the same of every frame vector`() throws {
    let output = try IndependentDecoder.output()
    for (name, frame) in Fixture.frames where name != "changesets-compressed" {
      #expect(output["frames: \(name)"] == frame.lines.map { "means: \($0)" }, "\(name)")
    }
    #expect(output["frames: preamble"] == ["means: preamble"])
    #expect(output["frames: hello-other-versions"] == ["means: hello of versions 4 to 6"])
    #expect(try Set(FrameVector.names().map { "frames: \($0)" }).isSubset(of: output.keys))
  }
}
