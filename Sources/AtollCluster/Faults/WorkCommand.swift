import ArgumentParser
import Atoll
import AtollStorage
import AtollVocabulary
import Foundation

/// Writes to a store until it is ended, and tells each transaction once it is committed.
///
/// A line is `wrote N` for the transaction of entry N, or `broken …` for a promise that a look at
/// the store found broken.
struct WorkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "work")

  @Argument var path: String
  @Option(help: "Whose entries they are.") var writer: String
  @Option(help: "The number of the first entry.") var first: Int
  @Option(help: "Transactions a second, at most.") var rate: Double
  @Option(help: "Milliseconds by which this application's clock is ahead.") var ahead: Int64 = 0
  @Option var seed: UInt64

  /// So many transactions pass between two looks at the promises.
  private static let transactionsPerLook = 20

  func run() throws {
    let store = try open()
    var random = SeededGenerator(seed: seed)
    var number = first
    while true {
      while store.object(ofType: WorkEntry.self, forPrimaryKey: entryID(number)) != nil {
        number += 1
      }
      try store.write { write(number, to: store, using: &random) }
      report("wrote \(number)")
      if number.isMultiple(of: Self.transactionsPerLook) {
        for line in WorkModel.broken(in: store) { report("broken \(line)") }
      }
      let pause = Double.random(in: 0.2...1.8, using: &random) / rate
      Thread.sleep(forTimeInterval: pause)
    }
  }

  private func open() throws -> Store {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: WorkModel.classes)
    let ahead = ahead
    configuration.adjusting = { options in
      options.wallClock = {
        WallTime(milliseconds: SystemClock.wallTime().milliseconds + ahead)
      }
    }
    return try Store(configuration: configuration)
  }

  private func entryID(_ number: Int) -> String { WorkModel.entryID(writer, number) }

  private func write(_ number: Int, to store: Store, using random: inout SeededGenerator) {
    let entry = WorkEntry()
    entry.id = entryID(number)
    entry.writer = writer
    entry.text = String(repeating: "x", count: Int.random(in: 0...400, using: &random))
    entry.tags.insert(number % 7)
    entry.steps.append(objectsIn: [number, number + 1])
    store.add(entry)
    let tally = store.create(WorkTally.self, value: ["writer": writer], update: .modified)
    tally.$count.increment(by: 1)
    transfer(in: store, using: &random)
    disturb(in: store, using: &random)
  }

  private func transfer(in store: Store, using random: inout SeededGenerator) {
    let amount = Int.random(in: 1...100, using: &random)
    someAccount(in: store, using: &random).$balance.increment(by: -amount)
    someAccount(in: store, using: &random).$balance.increment(by: amount)
  }

  private func someAccount(
    in store: Store, using random: inout SeededGenerator
  ) -> WorkAccount {
    let number = Int.random(in: 0..<WorkModel.accounts, using: &random)
    return store.create(WorkAccount.self, value: ["number": number], update: .modified)
  }

  /// Changes what others change as well, in the entries of everybody.
  private func disturb(in store: Store, using random: inout SeededGenerator) {
    someAccount(in: store, using: &random).note = "\(writer) was here"
    let entries = store.objects(WorkEntry.self)
    guard !entries.isEmpty else { return }
    let entry = entries[Int.random(in: 0..<entries.count, using: &random)]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: entry.text += writer
    case 1: entry.tags.remove(Int.random(in: 0..<7, using: &random))
    case 2: entry.steps.insert(Int.random(in: 0...99, using: &random), at: 0)
    default: if entry.steps.count > 2 { entry.steps.removeLast() }
    }
  }
}
