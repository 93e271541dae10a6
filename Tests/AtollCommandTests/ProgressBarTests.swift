import Testing

@testable import AtollCommand

@Suite struct ProgressBarTests {
  @Test func `a progress bar shows part, bar and time left`() {
    let bar = ProgressBar("importing", total: 200)
    #expect(
      bar.line(50, after: .seconds(30))
        == "importing [#######.......................] 25%  01:30 left")
    #expect(ProgressBar("importing", total: nil).line(50, after: .zero) == "importing 50")
  }
}
