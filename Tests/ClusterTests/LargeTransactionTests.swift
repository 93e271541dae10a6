import Foundation
import Testing

@testable import AtollCluster

/// A transaction that is larger than what anybody may have in memory of it.
@Suite(.serialized) struct LargeTransactionTests {
  @Test(.timeLimit(.minutes(5)))
  func `300 MiB in one transaction go through daemons that take 200 at most`() throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let folder = try Cluster.temporaryFolder()
    cleanUp.add(folder)
    let link = try LinkMeasure(folder: folder, isSecured: true, cleanUp: cleanUp)
    defer { link.stop() }
    let large = try link.large(mebibytes: 300)
    #expect(large.sender < 200 && large.receiver < 200, "\(large)")
  }
}
