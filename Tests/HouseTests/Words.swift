/// Words that are at home in some modules and nowhere else.
enum Words {
  struct Rule: Sendable {
    let words: [String]
    let isAllowed: @Sendable (_ file: SourceFile) -> Bool
    let instead: String
  }

  static let pureModules: Set<String> = [
    "AtollVocabulary", "AtollQuery", "AtollChanges", "AtollWire", "AtollReplication",
  ]
  static let programs: Set<String> = ["AtollDaemon", "AtollCommand", "AtollCluster"]

  /// The C libraries, each in the module that wraps it.
  static let libraryRules: [Rule] = [
    library(
      "sqlite3_", ["AtollSQLite", "CSQLite"], "a `Connection` or `Statement` of AtollSQLite"),
    library("uv_", ["AtollEventLoop", "CUV"], "a type of AtollEventLoop"),
    library("SSL_", ["AtollTransport", "COpenSSL"], "a `Link` of AtollTransport"),
    library(
      "EVP_", ["AtollChanges", "AtollTransport", "COpenSSL"],
      "`ContentDigest` of AtollChanges, or `Credentials` of AtollTransport"),
    library("SHA256_", ["AtollChanges", "COpenSSL"], "`ChainHash` of AtollChanges"),
    library("ZSTD_", ["AtollWire", "CZstd"], "`FrameEncoder` or `FrameDecoder` of AtollWire"),
  ]

  /// The words that would make a pure module answer differently from one machine or run to the
  /// next.
  static let purityRules: [Rule] = [
    pure(
      ["import Foundation", "import Dispatch"],
      "plain Swift; a module above can convert Foundation's types at its edge"),
    // Sines and cosines of areas come from the C library; replicas never compare them.
    Rule(
      words: ["import Glibc"], isAllowed: { !isPure($0) || $0.module == "AtollQuery" },
      instead: "plain Swift"),
    pure(
      [
        "ContinuousClock", "SuspendingClock", "clock_gettime", "gettimeofday", "Date(",
        "DispatchTime",
      ],
      "a time that the caller hands in, as `now`"),
    pure(
      ["SystemRandomNumberGenerator", ".randomElement()", ".shuffled()", ".shuffle()", "UUID("],
      "the seeded generator of the state, passed as `using:`"),
    pure(
      ["Task.sleep", "usleep(", "nanosleep("],
      "an action that asks for a timer, answered by an event"
    ),
  ]

  static let printRule = Rule(
    words: ["print(", "debugPrint(", "dump(", "NSLog("],
    isAllowed: { file in
      !file.path.hasPrefix("Sources/") || file.module.map { programs.contains($0) } ?? true
    },
    instead: "return or throw it, or hand it to the logger the caller gave; only programs print")

  static let temporaryRule = Rule(
    words: [".temporaryDirectory", "NSTemporaryDirectory", "mkdtemp(", "mkstemp("],
    isAllowed: { !$0.path.hasPrefix("Tests/") || $0.path.hasPrefix("Tests/TestKit/") },
    instead: "a `TemporaryFolder` of TestKit, which goes also when a process ends by a trap")

  static func libraries(_ repository: Repository) -> [Finding] { search(repository, libraryRules) }
  static func purity(_ repository: Repository) -> [Finding] {
    search(repository, purityRules) + unseededRandomness(repository)
  }
  static func printing(_ repository: Repository) -> [Finding] { search(repository, [printRule]) }
  static func temporaryFiles(_ repository: Repository) -> [Finding] {
    search(repository, [temporaryRule])
  }

  private static func library(_ word: String, _ modules: [String], _ instead: String) -> Rule {
    Rule(
      words: [word], isAllowed: { file in file.module.map { modules.contains($0) } ?? true },
      instead: instead)
  }

  private static func pure(_ words: [String], _ instead: String) -> Rule {
    Rule(words: words, isAllowed: { !isPure($0) }, instead: instead)
  }

  private static func isPure(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("Sources/") && file.module.map { pureModules.contains($0) } ?? false
  }

  private static func search(_ repository: Repository, _ rules: [Rule]) -> [Finding] {
    repository.files.filter(\.isSwift).flatMap { file in
      rules.filter { !$0.isAllowed(file) }.flatMap { rule in
        rule.words.flatMap { word in
          file.code.indices.filter { contains(word, in: file.code[$0]) }.map { line in
            Finding(
              file.path, line: line + 1,
              "`\(word)` does not belong in \(file.module ?? "this file"): write \(rule.instead).")
          }
        }
      }
    }
  }

  /// `Int.random(in:)` without a generator asks the system.
  private static func unseededRandomness(_ repository: Repository) -> [Finding] {
    repository.files.filter { $0.isSwift && isPure($0) }.flatMap { file in
      file.code.indices.filter { line in
        contains(".random(", in: file.code[line])
          && !file.code[line..<min(line + 3, file.code.count)].contains { $0.contains("using:") }
      }.map { line in
        Finding(
          file.path, line: line + 1,
          "randomness of the system in \(file.module ?? "this file"): write `using:` and the seeded "
            + "generator of the state.")
      }
    }
  }

  /// Tells whether a word stands in a line and is not the tail of a longer one.
  static func contains(_ word: String, in line: Substring) -> Bool {
    guard line.utf8.count >= word.utf8.count else { return false }
    let needsEdge = word.first.map { $0.isLetter } ?? false
    return line.ranges(of: word).contains { range in
      guard needsEdge, range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || before == "_" || before == ".")
    }
  }
}
