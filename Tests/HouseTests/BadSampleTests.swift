import Testing

/// A sample for each check that it must not accept, beside one that it must.
@Suite struct BadSampleTests {
  @Test func `a flow by a function that is not there, or by too many, is found`() {
    func page(_ rows: [(Int, String)]) -> String {
      rows.map {
        "| \($0.0) | `Engine.\($0.1)` | [A.swift](AtollReplication/A.swift) | does it |\n"
      }
      .joined()
    }
    func lines(_ page: String) -> [Int?] {
      FlowTables.check(
        Repository([
          FlowTables.path: page,
          "Sources/AtollReplication/A.swift": "extension Engine {\n  func apply() {}\n}\n",
        ])
      ).map(\.line)
    }
    #expect(lines(page([(1, "apply"), (2, "apply"), (1, "apply")])) == [])
    #expect(lines(page([(1, "apply"), (2, "app"), (1, "applyNext")])) == [2, 3])
    #expect(lines(page([(1, "apply"), (3, "apply"), (1, "apply")])) == [2])
    #expect(lines(page((1...21).map { ($0, "apply") } + [(1, "apply")])) == [21])
    #expect(lines(page([(1, "apply")])) == [nil])
  }

  @Test func `a file of 801 lines is found, one of 800 is not`() {
    let sample = Repository([
      "Sources/AtollWire/Long.swift": String(repeating: "//\n", count: 801),
      "Sources/AtollWire/Short.swift": String(repeating: "//\n", count: 800),
    ])
    #expect(Length.files(sample).map(\.path) == ["Sources/AtollWire/Long.swift"])
  }

  @Test func `a function of 71 lines is found where it starts, one of 70 is not`() {
    let sample = Repository([
      "Sources/AtollWire/A.swift": """
      protocol P { func requirement() }
      func short(
        a: Int
      ) {
      \(String(repeating: "  work(\"}\")  // }\n", count: 66))}
      func long() {
      \(String(repeating: "  work { }\n", count: 69))}
      """
    ])
    #expect(Length.functions(sample).map(\.line) == [72])
  }

  @Test(arguments: [
    ("sqlite3_step(s)", "AtollStorage"), ("uv_run(l)", "AtollNode"), ("SSL_read(s)", "AtollWire"),
    ("EVP_Digest(d)", "AtollStorage"), ("ZSTD_compress(d)", "AtollTransport"),
  ])
  func `a C library outside its module is found`(call: String, module: String) {
    let sample = Repository(["Sources/\(module)/A.swift": "let a = \(call)\n"])
    #expect(Words.libraries(sample).map(\.line) == [1])
  }

  @Test func `a C library in its module, in a comment or in a string is accepted`() {
    let sample = Repository([
      "Sources/AtollSQLite/A.swift": "let a = sqlite3_step(s)\n",
      "Tests/AtollSQLiteTests/A.swift": "let a = sqlite3_step(s)\n",
      "Sources/AtollNode/A.swift": "/* uv_run(l) */ let a = \"uv_run\"  // uv_run\n",
      "Sources/AtollNode/B.swift": "let a = #\"a \" uv_run\"#, b = my_uv_run\n",
    ])
    #expect(Words.libraries(sample) == [])
  }

  @Test(arguments: [
    "import Foundation", "package import Foundation", "let a = ContinuousClock().now",
    "let a = Date()", "let a = UUID()", "var g = SystemRandomNumberGenerator()",
    "let a = Int.random(in: 0..<3)", "let a = list.shuffled()",
    "func f() async { try await Task.sleep(for: d) }", "let a = \"\\(Date())\"",
  ])
  func `what a pure module must not know is found there and accepted elsewhere`(line: String) {
    let pure = Repository(["Sources/AtollReplication/A.swift": line + "\n"])
    #expect(Words.purity(pure).map(\.line) == [1])
    let shell = Repository(["Sources/AtollNode/A.swift": line + "\n"])
    #expect(Words.purity(shell) == [])
  }

  @Test func `seeded randomness is accepted in a pure module`() {
    let sample = Repository([
      "Sources/AtollReplication/A.swift": "let a = Int.random(in: 0..<3, using: &generator)\n"
    ])
    #expect(Words.purity(sample) == [])
  }

  @Test func `a temporary folder of a test's own is found, the kit's and a program's are not`() {
    let line = "let a = FileManager.default.temporaryDirectory\n"
    let sample = Repository([
      "Tests/AtollNodeTests/A.swift": line, "Tests/AtollNodeTests/B.swift": "mkdtemp(&name)\n",
      "Tests/TestKit/A.swift": line, "Sources/AtollCluster/A.swift": line,
    ])
    #expect(
      Words.temporaryFiles(sample).map(\.path)
        == ["Tests/AtollNodeTests/A.swift", "Tests/AtollNodeTests/B.swift"])
  }

  @Test func `print in a library is found, in a program or as a method it is not`() {
    let sample = Repository([
      "Sources/AtollNode/A.swift": "func f() {\n  print(1)\n}\n",
      "Sources/AtollCommand/A.swift": "print(1)\n",
      "Sources/AtollNode/B.swift": "printer.print(1); footprint(2)\n",
    ])
    #expect(
      Words.printing(sample).map(\.description).map { $0.prefix(29) } == [
        "Sources/AtollNode/A.swift:2: "
      ])
  }

  @Test func `a folder without a row and a row without a folder are found`() {
    let sample = Repository([
      "Sources/AtollNew/A.swift": "",
      ModuleTable.page: "| Folder in `Sources/` | line |\n|---|---|\n| `AtollOld` | gone |\n",
    ])
    let instead = ModuleTable.check(sample).map(\.instead)
    #expect(instead.count == 2)
    #expect(instead.first?.hasPrefix("no row for `Sources/AtollNew`") ?? false)
    #expect(instead.last?.hasPrefix("a row for `AtollOld`") ?? false)
  }

  @Test func `a dead link is found, a live one and one in code are not`() {
    let sample = Repository([
      "protocol/README.md": """
      [frames](frames.md#hello), [top](../README.md), [folder](vectors), [web](https://swift.org)
      `[code](nowhere.md)`
      [dead](nowhere.md)
      [outside](../../elsewhere.md)
      """,
      "protocol/frames.md": "", "README.md": "", "protocol/vectors/a.txt": "",
    ])
    #expect(Links.check(sample).map(\.line) == [3, 4])
  }

  @Test func `a frame without a row and a row without a frame are found`() {
    let sample = Repository([
      ProtocolPages.frameSource: "enum Kind: UInt8 {\n  case hello = 1\n  case want = 0x10\n}\n",
      ProtocolPages.framesPage: "| 1 | `hello` | first |\n| 7 | `gone` | last |\n",
    ])
    let instead = ProtocolPages.frames(sample).map(\.instead)
    #expect(instead.count == 2)
    #expect(instead.first?.hasPrefix("no row for frame `want` with the number 16") ?? false)
    #expect(instead.last?.hasPrefix("frame `gone` is not in") ?? false)
  }

  @Test func `a shared limit without a row and a row without a limit are found`() {
    let sample = Repository([
      ProtocolPages.limitSource: """
      // MARK: Frames
      package static let frameBytes = 1
      package static let batchBytes = 1
      // MARK: Files
      package static let peers = 1
      """,
      ProtocolPages.limitsPage: "| `frameBytes` | 1 |\n| `gone` | 1 |\n| `peers` | 1 |\n",
    ])
    let instead = ProtocolPages.limits(sample).map(\.instead)
    #expect(instead.count == 2)
    #expect(instead.first?.hasPrefix("no row for `batchBytes`") ?? false)
    #expect(instead.last?.hasPrefix("`gone` is not in") ?? false)
  }

  @Test func `an import that is not declared is found`() {
    let sample = Repository([
      "Package.swift": manifest,
      "Sources/AtollLow/A.swift": "import Foundation\n// import AtollHigh\nimport AtollHigh\n",
      "Sources/AtollHigh/A.swift": "package import struct AtollLow.Value\nimport Logging\n",
      "Tests/AtollLowTests/A.swift": "@testable import AtollLow\nimport Unheard\n",
      "Sources/AtollNowhere/A.swift": "",
    ])
    #expect(
      Imports.undeclared(sample).map(\.path) == [
        "Sources/AtollLow/A.swift", "Sources/AtollNowhere/A.swift", "Tests/AtollLowTests/A.swift",
      ])
  }

  @Test func `a dependency that goes up or sideways is found, an arrow allows it`() {
    let drawing = " 1  AtollHigh ◀── AtollSide   AtollOther\n 0  AtollLow\n"
    let sample = Repository([
      "README.md": drawing,
      "Package.swift": """
      module("AtollLow", ["AtollHigh"]), module("AtollSide", ["AtollHigh"]),
      module("AtollOther", ["AtollHigh", "AtollLow"]),
      """,
    ])
    let instead = Imports.upward(sample).map(\.instead)
    #expect(instead.count == 2)
    #expect(instead.first?.hasPrefix("AtollLow (level 0) depends on AtollHigh (level 1)") ?? false)
    #expect(instead.last?.hasPrefix("AtollOther (level 1) depends on AtollHigh") ?? false)
  }

  @Test func `a stray entry at the top is found`() {
    let sample = Repository(["notes.md": "", ".ci/run": "", "Sources/A/B.swift": ""])
    #expect(TopLevel.check(sample).map(\.path) == ["notes.md"])
  }

  private let manifest = """
    let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
    module("AtollLow", []),
    module(
      "AtollHigh",
      ["AtollLow", logging]),
    tests("AtollLowTests", ["AtollLow"], resources: [.copy("Stories")]),
    """

  @Test func `a rule of type projection that no test names is found, and a test of none`() {
    let rules = NumberedPage.rules
    let named = (1...rules.count).filter { $0 != 17 && $0 != 18 && $0 != 19 }
    let tests = named.map { "  @Test func `rule \($0): …`() {}" }
    let headings = (1...rules.count).map { "### Rule \($0): …\n" }
    let sample = Repository([
      rules.path: headings.joined(),
      "Tests/AtollTests/ATests.swift": tests.joined(separator: "\n"),
      "Tests/AtollTests/BTests.swift":
        "// rule 17: in a comment\n@Test func `about rule 18`() {}\n",
      "Tests/AtollTests/CTests.swift": "@Test\nfunc\n  `rules 19 and 1: …`() {}\n",
      "Tests/AtollTests/DTests.swift": "@Test func `rule 70: …`() {}\n",
    ])
    let findings = rules.check(sample)
    #expect(findings.count == 3)
    #expect(findings.first?.instead.contains("`rule 17`") == true)
    #expect(findings.last?.path == "Tests/AtollTests/DTests.swift")
  }

  @Test func `a scenario that its page lacks, has twice or has in a wrong place is found`() {
    let scenarios = NumberedPage.scenarios
    let test = "@Test func `scenarios 1 to \(scenarios.count) …`() {}\n"
    let tests = (1...scenarios.count).map { "@Test func `scenario \($0) …`() {}\n" }
    let whole = (1...scenarios.count).map { "### Scenario \($0): …\n" }
    func findings(_ headings: [String]) -> [Finding] {
      scenarios.check(
        Repository([
          scenarios.path: headings.joined(), "Tests/ScenarioTests/ATests.swift": tests.joined(),
          "Tests/ScenarioTests/BTests.swift": test,
        ]))
    }
    #expect(findings(whole) == [])
    #expect(findings(Array(whole.dropLast())).count == 1)
    #expect(findings(whole + ["### Scenario 3: …\n"]).map(\.line) == [scenarios.count + 1])
    #expect(findings([whole[1], whole[0]] + whole.dropFirst(2)).map(\.line) == [1])
  }

  @Test func `a comment that opens with a question word is found, one that goes on with it is not`()
  {
    let sample = Repository([
      "Sources/AtollNode/A.swift":
        "/// What it is.\nlet a = 1\n// A thing, and\n// what it does.\n//\n// Where it is.\n",
      "protocol/tools/a.py": "// What it is.\n",
    ])
    #expect(CommentOpenings.check(sample).map(\.line) == [1, 6])
  }

  @Test func `a word that was replaced is found, also within a name`() {
    let sample = Repository([
      "Sources/AtollNode/A.swift": "let a = 1\nfunc revoke(_ theBringer: Int) {}\n",
      "protocol/session.md": "Nobody is banished.\n",
    ])
    #expect(Vocabulary.check(sample).map(\.line) == [2, 1])
  }

  @Test func `code of a page that its snippet does not have is found`() {
    let sample = Repository([
      "Sources/Atoll/Atoll.docc/Page.md": "```swift\nlet a = 1\n```\n```swift\nlet b = 2\n```\n",
      "Sources/Atoll/Atoll.docc/Other.md": "```swift\nlet c = 3\n```\n",
      "Snippets/Page.swift": "let a = 1\n",
    ])
    #expect(Snippets.check(sample).map(\.line) == [5])
  }

  @Test func `a message without a row and a row without a message are found in the runbook`() {
    let sample = Repository([
      "Sources/AtollNode/NodeError.swift":
        "enum NodeError {\n  case one(String)\n  case two\n}\nenum Other {\n  case three\n}\n",
      Runbook.page: "| message |\n| `NodeError.one` | x |\n| `NodeError.three` | y |\n",
    ])
    #expect(Runbook.check(sample).map(\.line) == [nil, 3])
  }

  @Test(arguments: [
    "package func f() throws {}", "public init() throws {}",
    "package static func f(\n  _ a: Int\n) throws -> Int {\n}",
    "package func f(_ b: () throws -> Void) throws(StorageError) {}",
    "package func f(_ b: () throws(E) -> Void) rethrows {}",
    "package var a: Int {\n  get throws { 1 }\n}", "package typealias A = () throws -> Void",
  ])
  func `an error without a type in the storage's interface is found`(code: String) {
    let sample = Repository(["Sources/AtollStorage/A.swift": code + "\n"])
    #expect(TypedThrows.check(sample).count == 1)
    #expect(TypedThrows.check(Repository(["Sources/AtollNode/A.swift": code])) == [])
  }

  @Test func `typed errors, inner functions and bodies are accepted in the storage`() {
    let sample = Repository([
      "Sources/AtollStorage/A.swift": """
      package func f(
        _ a: Int
      ) throws(StorageError) -> Int { try g { () throws -> Int in 1 } }
      func g() throws {}
      package var a: Int { get throws(StorageError) { 1 } }
      private var b: Int {
        get throws { 1 }
      }
      package let c = 1
      private func h(_ d: () throws -> Void) rethrows {}
      """
    ])
    #expect(TypedThrows.check(sample) == [])
  }

  @Test func `a table of the log is found outside of its module, and not within a longer name`() {
    let code = #"let sql = "SELECT hash FROM atoll_log""#
    #expect(StorageWalls.logTables(Repository(["Sources/AtollStorage/A.swift": code])).count == 1)
    #expect(StorageWalls.logTables(Repository(["Sources/AtollLog/A.swift": code])) == [])
    let longer = ["Sources/AtollStorage/A.swift": "// atoll_log_author\n"]
    #expect(StorageWalls.logTables(Repository(longer)) == [])
  }

  @Test func `tables that call the file are found, and not a comment that names it`() {
    let extended = "extension ObjectTables {\n  func f(_ file: StoreFile) {}\n}\n"
    #expect(StorageWalls.tables(Repository(["Sources/AtollStorage/A.swift": extended])).count == 1)
    let inside = "let file: StoreFile? = nil\n"
    #expect(
      StorageWalls.tables(Repository(["Sources/AtollStorage/Tables/A.swift": inside])).count == 1)
    #expect(StorageWalls.tables(Repository(["Sources/AtollStorage/A.swift": inside])) == [])
    let said = "// Called by ``StoreFile``.\nextension ObjectTables {}\n"
    #expect(StorageWalls.tables(Repository(["Sources/AtollStorage/A.swift": said])) == [])
  }

  @Test func `a store file that grew is found, and one that shrank lowers the ratchet`() {
    func sample(_ properties: Int, _ files: Int) -> Repository {
      let members = (0..<properties).map { "  var a\($0) = 0\n" }.joined()
      var all = [
        "Sources/AtollStorage/StoreFile.swift":
          "final class StoreFile {\n\(members)  var b: Int { 1 }\n  func f() {\n    let c = 1\n  }\n}\n"
      ]
      for number in 0..<files {
        all["Sources/AtollStorage/\(number).swift"] = "extension StoreFile {}\n"
      }
      return Repository(all)
    }
    let (properties, files) = (StorageWalls.storedProperties, StorageWalls.extendingFiles)
    #expect(StorageWalls.ratchets(sample(properties, files)).isEmpty)
    #expect(StorageWalls.ratchets(sample(properties + 1, files + 1)).count == 2)
    #expect(StorageWalls.ratchets(sample(properties - 1, files - 1)).count == 2)
  }

  @Test func `an error or an exit code without a row, and a row of neither, are found`() {
    func findings(_ rows: String...) -> [Int?] {
      ErrorPage.check(
        Repository([
          "Sources/Atoll/Store/Store+Error.swift":
            "  public struct Error: Swift.Error {\n    public enum Code: Int {\n"
            + "      case one(Int)\n      case two, three\n    }\n    enum Other {\n      case four\n    }\n",
          "Sources/AtollCommand/A.swift":
            "throw ExitCode(65)  // ExitCode(66)\nthrow ExitCode.failure\n",
          ErrorPage.numbers: "case .a, .b: 78\n",
          ErrorPage.page: rows.joined(separator: "\n"),
        ])
      ).map(\.line)
    }
    let codes =
      [0, 1, 64, 65].map { "| `atoll` | \($0) | x |" }
      + [0, 64, 78].map { "| `atolld` | \($0) | x |" }
    let all =
      ["``Store/Error``", "| `Code.one` | x |", "| `Code.two` | x |", "| `Code.three` | x |"]
      + codes
    func without(_ index: Int) -> [Int?] {
      findings(all[..<index].joined(separator: "\n"), all[(index + 1)...].joined(separator: "\n"))
    }
    #expect(findings(all.joined(separator: "\n")) == [])
    for index in all.indices { #expect(without(index) == [nil], "\(all[index])") }
    let rest = all.joined(separator: "\n")
    for row in ["| `Code.four` | x |", "| `Gone.one` | x |", "| `atoll` | 66 | x |"] {
      #expect(findings(rest, row) == [all.count + 1], "\(row)")
    }
    #expect(findings(rest, "| `Code.one` | x |") == [nil])
  }

  @Test func `a bug of the museum without its place or test, and a test without a bug, is found`() {
    let folder = "Tests/ScenarioTests/Museum/"
    func check(_ source: String, tests: [String]) -> [Int?] {
      Museum.check(
        Repository([
          "Sources/AtollWire/A.swift": source,
          folder + "Tests.swift": tests.map { "  @Test func `museum: \($0)`() {\n" }.joined(),
          folder + "Bugs/a-1.diff": """
          A #1: the end is missed.

          @@
             func read() {
          -    finish()
          +    if !Museum.has("A #1") { finish() }

          """,
        ])
      ).map(\.line)
    }
    let read = "  func read() {\n    finish()\n"
    #expect(check(read, tests: ["A #1, the end is read"]) == [])
    #expect(check("  func read() {}\n", tests: ["A #1, the end is read"]) == [3])
    #expect(check(read + read, tests: ["A #1, the end is read"]) == [3])
    #expect(check(read, tests: []) == [nil])
    #expect(check(read, tests: ["A #1, the end is read", "A #12, the start is read"]) == [2])
  }

  @Test func `a second switch over all actions of the store is found, and some of them are not`() {
    let all = "  switch action {\n  case .read: 1\n  case .write(let a): a\n  }\n"
    var sample = [
      StoreActions.declaration: "enum StoreAction {\n  case read\n  case write(Int)\n}\n" + all,
      "Sources/AtollReplication/ActionPerformer.swift": all,
      "Sources/AtollNode/Some.swift": "if case .write(let a) = action {}\n// .read\n",
    ]
    #expect(StoreActions.check(Repository(sample)) == [])
    sample["Sources/AtollReplication/ActionPerformer.swift"] = "switch action {}\n"
    sample["Sources/AtollNode/All.swift"] = all
    #expect(
      StoreActions.check(Repository(sample)).map(\.path)
        == ["Sources/AtollNode/All.swift", "Sources/AtollReplication/ActionPerformer.swift"])
  }

  @Test func `a command that names a store's file or SQLite is found, and an opener that does not`()
  {
    var sample = Dictionary(
      uniqueKeysWithValues: CommandLineRule.openers.map {
        (CommandLineRule.folder + $0, "let file = try StoreFile.open(path)\n")
      })
    #expect(CommandLineRule.check(Repository(sample)) == [])
    sample[CommandLineRule.folder + "LogCommand.swift"] =
      "import AtollSQLite\n// StoreFile\nfunc show(_ file: StoreFile) {}\n"
    sample[CommandLineRule.folder + "InitCommand.swift"] = "let a = 1\n"
    sample[CommandLineRule.folder + "JoinCommand.swift"] = nil
    #expect(
      CommandLineRule.check(Repository(sample)).map { "\($0.path.dropFirst(21)):\($0.line ?? 0)" }
        == [
          "InitCommand.swift:0", "LogCommand.swift:1", "LogCommand.swift:3", "JoinCommand.swift:0",
        ])
  }
}
