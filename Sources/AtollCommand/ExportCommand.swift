import ArgumentParser
import AtollStorage
import Foundation

/// `atoll export`: everything a store holds, in canonical text.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes every object as canonical JSON lines.",
    discussion: """
      Sorted by class and key and free of anything local: byte-identical on replicas that have \
      applied the same changesets.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(name: [.short, .long], help: "Where to write; standard output if absent.")
  var output: String?

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let destination = try output.map(created(at:)) ?? FileHandle.standardOutput
    try file.export { line in try destination.write(contentsOf: Data(line.utf8)) }
  }

  private func created(at path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw CommandError.unwritable(path: path, reason: "the file cannot be made")
    }
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}
