import ArgumentParser
import Foundation
import InspectionModel

/// The inspections of one file, in the terminal and in the browser.
@main
struct Inspections: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Inspections in the field, on as many machines as there are inspectors.",
    subcommands: [
      List.self, Show.self, Begin.self, Rename.self, Locate.self, Check.self, Defects.self,
      TagCommand.self, Note.self, PhotoCommand.self, Conflicts.self, Serve.self,
    ])
}

/// The file that every command works on.
struct BookFile: ParsableArguments {
  @Argument(help: "The store file, which is made if it is not there.") var file: String

  var book: InspectionBook { InspectionBook(file: URL(fileURLWithPath: file)) }
}

extension BookFile {
  /// Works on one inspection and shows it.
  func change(_ code: String, _ body: (InspectionBook) async throws -> Void) async throws {
    let book = book
    try await body(book)
    if let report = try await book.report(code) { print(Terminal.text(of: report)) }
    await book.close()
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists inspections.")
  @OptionGroup var file: BookFile
  @Argument(help: "A text in the title, or a tag.") var search: String?

  func run() async throws {
    let reports =
      if let search { try await file.book.search(search) } else { try await file.book.all() }
    for report in reports { print(Terminal.line(of: report)) }
  }
}

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows an inspection.")
  @OptionGroup var file: BookFile
  @Argument var code: String

  func run() async throws { try await file.change(code) { _ in } }
}

struct Begin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Begins an inspection, or gives one another title.")
  @OptionGroup var file: BookFile
  @Argument(help: "What is written on the thing.") var code: String
  @Argument var title: String
  @Argument(help: "Items of the checklist.") var items: [String] = []

  func run() async throws {
    try await file.change(code) { try await $0.begin(code, title: title, checklist: items) }
  }
}

struct Rename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Gives an inspection another title.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument var title: String

  func run() async throws {
    try await file.change(code) { try await $0.rename(code, to: title) }
  }
}

struct Locate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Says where the thing is.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Option(help: "Degrees northward.") var latitude: Double?
  @Option(help: "Degrees eastward.") var longitude: Double?
  @Option(help: "The address of its manual.") var manual: String?

  func run() async throws {
    let place = latitude.flatMap { latitude in
      longitude.map { Coordinate(latitude: latitude, longitude: $0) }
    }
    let address = manual.flatMap { URL(string: $0) }
    try await file.change(code) { try await $0.locate(code, at: place, manual: address) }
  }
}

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Checks an item off.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument(help: "Its number, from 1.") var item: Int
  @Flag(help: "Checks it on again.") var undo = false

  func run() async throws {
    try await file.change(code) { try await $0.check(code, item: item - 1, isDone: !undo) }
  }
}

struct Defects: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Counts defects.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument(help: "How many more.") var amount = 1

  func run() async throws {
    try await file.change(code) { try await $0.countDefects(code, amount) }
  }
}

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "tag", abstract: "Adds a tag.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument var tag: String

  func run() async throws { try await file.change(code) { try await $0.tag(code, tag) } }
}

struct Note: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fills a field of one's own in: a number, yes or no, or a text.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument var field: String
  @Argument var value: String

  func run() async throws {
    try await file.change(code) { try await $0.note(code, field, FieldValue(typed: value)) }
  }
}

struct PhotoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Notes a photo; the picture stays where it is.")
  @OptionGroup var file: BookFile
  @Argument var code: String
  @Argument(help: "The picture's file.") var picture: String

  func run() async throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: picture)
    let bytes = (attributes[.size] as? NSNumber)?.intValue ?? 0
    try await file.change(code) {
      try await $0.photograph(code, URL(fileURLWithPath: picture), bytes: bytes)
    }
  }
}

struct Conflicts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists writes that were lost to later ones, or gives one back.")
  @OptionGroup var file: BookFile
  @Option(help: "The number of the one to give back.") var restore: Int64?

  func run() async throws {
    let book = file.book
    if let restore { try await book.restore(conflict: restore) }
    for conflict in try await book.conflicts() { print(Terminal.line(of: conflict)) }
    await book.close()
  }
}
