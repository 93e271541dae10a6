package import AtollChanges
import AtollVocabulary

/// Finds the objects by which a file and another replica differ.
///
/// Both sides sum up the objects whose place begins with each of sixteen digits; where the sums differ,
/// the next digit is asked for, until few objects are left and are named. One difference among *n*
/// objects takes about log16(n) questions.
package struct DigestSearch {
  /// The forms of one object at two replicas.
  package struct Difference: Hashable, Sendable {
    package var className: String
    package var key: String
    /// Nil where nothing is known of it.
    package var here: DigestedObject?
    package var there: DigestedObject?
  }

  package struct Outcome: Hashable, Sendable {
    package var differences: [Difference] = []
    /// Questions that the other side answered.
    package var exchanges = 0
    /// True if there are more differences than were looked for.
    package var isCut = false
    /// True if both sides had applied exactly the same all the time.
    package var isSameFrontier = true
    /// The digest that each side has kept up, at the beginning.
    package var here: FrontierDigest
    package var there: FrontierDigest
  }

  /// Why a search came to no end.
  package enum Failure: Error {
    /// The other side did not look.
    case refused(reason: String)
    /// The answer does not fit the question.
    case nonsense
    /// The other side could not be asked, or gave no answer.
    case unanswered(any Error)
    /// The file here could not be read.
    case storage(StorageError)
  }

  private let file: StoreFile
  private let ask: (DigestQuestion) -> Result<DigestAnswer, any Error>
  private var outcome: Outcome?

  /// Objects under one prefix that are named and not divided further.
  private static let few: UInt64 = 8

  /// `ask` brings a question to the other replica and its answer back.
  package init<AskFailure: Error>(
    _ file: StoreFile, ask: @escaping (DigestQuestion) throws(AskFailure) -> DigestAnswer
  ) {
    self.file = file
    self.ask = { question in
      do throws(AskFailure) {
        return .success(try ask(question))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Compares everything.
  package mutating func run() throws(Failure) -> Outcome {
    outcome = nil
    var waiting: [(level: Int, prefixes: [UInt64])] = [(0, [0])]
    while let next = waiting.popLast() {
      let (divided, named) = try divide(next.level, next.prefixes)
      for prefixes in divided.chunks(of: Limits.digestPrefixes) {
        waiting.append((next.level + 1, prefixes))
      }
      for prefixes in named.chunks(of: Limits.digestObjects / (2 * Int(Self.few))) {
        try name(next.level + 1, prefixes)
      }
      guard let outcome, outcome.exchanges < Limits.digestQuestions,
        outcome.differences.count < Limits.digestObjects
      else {
        if !waiting.isEmpty { outcome?.isCut = true }
        break
      }
    }
    guard var found = outcome else { throw .nonsense }
    found.differences.sort { ($0.className, $0.key) < ($1.className, $1.key) }
    return found
  }

  /// The next digits under which the sides differ: to be divided further, and to be named.
  private mutating func divide(
    _ level: Int, _ prefixes: [UInt64]
  ) throws(Failure) -> (divided: [UInt64], named: [UInt64]) {
    let (here, there) = try exchange(level, prefixes, wantsObjects: false)
    guard case .parts(let ours) = here, case .parts(let theirs) = there,
      ours.count == theirs.count
    else { throw .nonsense }
    var divided: [UInt64] = []
    var named: [UInt64] = []
    for (place, (mine, other)) in zip(ours, theirs).enumerated() where mine != other {
      let prefix = prefixes[place / 16] << 4 | UInt64(place % 16)
      if max(mine.count, other.count) <= Self.few || level + 1 >= Limits.digestLevels {
        named.append(prefix)
      } else {
        divided.append(prefix)
      }
    }
    return (divided, named)
  }

  private mutating func name(_ level: Int, _ prefixes: [UInt64]) throws(Failure) {
    let (here, there) = try exchange(level, prefixes, wantsObjects: true)
    guard case .objects(let ours) = here, case .objects(let theirs) = there else {
      throw .nonsense
    }
    if max(ours.count, theirs.count) >= Limits.digestObjects { outcome?.isCut = true }
    var others = Dictionary(theirs.map { ($0.identity, $0) }) { first, _ in first }
    for mine in ours {
      let other = others.removeValue(forKey: mine.identity)
      guard other?.digest != mine.digest || other?.generation != mine.generation else { continue }
      add(mine, other)
    }
    for other in theirs where others[other.identity] != nil { add(nil, other) }
  }

  private mutating func add(_ here: DigestedObject?, _ there: DigestedObject?) {
    guard let named = here ?? there else { return }
    outcome?.differences.append(
      Difference(className: named.className, key: named.key, here: here, there: there))
  }

  private mutating func exchange(
    _ level: Int, _ prefixes: [UInt64], wantsObjects: Bool
  ) throws(Failure) -> (here: DigestAnswer.Found, there: DigestAnswer.Found) {
    let question = DigestQuestion(
      storeID: file.storeID, level: level, prefixes: prefixes, wantsObjects: wantsObjects)
    let there: DigestAnswer
    switch ask(question) {
    case .success(let answer): there = answer
    case .failure(let error): throw .unanswered(error)
    }
    let here = try answerHere(question)
    if case .nothing(let reason) = there.found { throw .refused(reason: reason) }
    var outcome = outcome ?? Outcome(here: here.current, there: there.current)
    outcome.exchanges += 1
    if here.current.frontier != there.current.frontier { outcome.isSameFrontier = false }
    self.outcome = outcome
    return (here.found, there.found)
  }
}

extension DigestSearch {
  private func answerHere(_ question: DigestQuestion) throws(Failure) -> DigestAnswer {
    do {
      return try file.answer(question)
    } catch {
      throw .storage(error)
    }
  }
}

extension DigestSearch.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .refused(let reason): "the other replica did not look: \(reason)"
    case .nonsense:
      "the other replica's answer does not fit the question; are both of one release?"
    case .unanswered(let error): "\(error)"
    case .storage(let error): "\(error)"
    }
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
