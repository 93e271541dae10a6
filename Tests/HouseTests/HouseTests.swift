// The tidy test: what the repository promises about itself, held to the tree.
//
// Every text file is read once, into `Repository.current`. A check is a function from a repository
// to its findings; a finding says where, and what to write instead. Each check is run on the tree
// here, and in `BadSampleTests` on a small bad sample, so that a check which can no longer fail is
// noticed. Taste is not checked.

import Testing

@Suite struct HouseTests {
  private let repository = Repository.current

  @Test func `the repository is found and read`() {
    #expect(repository.file("Package.swift") != nil)
    #expect(repository.file("Sources/AtollVocabulary/Limits.swift") != nil)
  }

  @Test func `no file is over 800 lines`() { expectNone(Length.files(repository)) }

  @Test func `no function is over 70 lines`() { expectNone(Length.functions(repository)) }

  @Test func `comments open with a noun or a verb`() {
    expectNone(CommentOpenings.check(repository))
  }

  @Test func `C libraries are called only in the modules that wrap them`() {
    expectNone(Words.libraries(repository))
  }

  @Test func `pure modules know no Foundation, clock, randomness or sleep`() {
    expectNone(Words.purity(repository))
  }

  @Test func `libraries do not print`() { expectNone(Words.printing(repository)) }

  @Test func `the table of modules names every folder of Sources, and no other`() {
    expectNone(ModuleTable.check(repository))
  }

  @Test func `the flows go by functions that exist, 20 at most`() {
    expectNone(FlowTables.check(repository))
  }

  @Test func `relative links in Markdown lead somewhere`() { expectNone(Links.check(repository)) }

  @Test func `protocol describes the frames of the code, and no others`() {
    expectNone(ProtocolPages.frames(repository))
  }

  @Test func `protocol describes the limits of the code, and no others`() {
    expectNone(ProtocolPages.limits(repository))
  }

  @Test func `every import is declared in Package.swift`() {
    expectNone(Imports.undeclared(repository))
  }

  @Test func `imports only go down the levels`() { expectNone(Imports.upward(repository)) }

  @Test func `every rule of type projection is on its page and in a test, and no other`() {
    expectNone(NumberedPage.rules.check(repository))
  }

  @Test func `every scenario of convergence is on its page and in a test, and no other`() {
    expectNone(NumberedPage.scenarios.check(repository))
  }

  @Test func `words that were replaced do not come back`() {
    expectNone(Vocabulary.check(repository))
  }

  @Test func `the front page is read in three minutes`() { expectNone(FrontPage.check(repository)) }

  @Test func `the top holds only what belongs there`() { expectNone(TopLevel.check(repository)) }

  @Test func `the code of a page stands in its snippet`() {
    expectNone(Snippets.check(repository))
  }

  @Test func `the runbook explains the messages of the code, and no others`() {
    expectNone(Runbook.check(repository))
  }

  @Test func `the tables of the log are named by its module alone`() {
    expectNone(StorageWalls.logTables(repository))
  }

  @Test func `the tables do not call the file`() { expectNone(StorageWalls.tables(repository)) }

  @Test func `the store file grows no further`() { expectNone(StorageWalls.ratchets(repository)) }

  @Test func `the storage's interface names the type of every error`() {
    expectNone(TypedThrows.check(repository))
  }

  @Test func `the page of errors has the errors and exit codes of the code, and no others`() {
    expectNone(ErrorPage.check(repository))
  }

  @Test func `temporary files are made by the test kit alone`() {
    expectNone(Words.temporaryFiles(repository))
  }

  @Test func `the bugs of the museum can be put back, and each has its test`() {
    expectNone(Museum.check(repository))
  }

  @Test func `the command line names a store's file only where it opens one`() {
    expectNone(CommandLineRule.check(repository))
  }

  @Test func `a new action of the store is performed in one place`() {
    expectNone(StoreActions.check(repository))
  }

  private func expectNone(
    _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: sourceLocation) }
  }
}
