import ArgumentParser
import AtollStorage

/// `atoll compact`: gives unused space back.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Gives the space that a store no longer uses back.",
    discussion: """
      Writes the file anew, beside itself, while others may read; writers wait. Needs as much free space \
      as the store takes. What the log has to keep stays; `atoll status` shows how much that is.
      """)

  @OptionGroup var argument: StoreArgument

  func run() throws {
    let file = try argument.write()
    defer { file.close() }
    let (before, after) = try file.compact()
    print("before   \(before) bytes")
    print("after    \(after) bytes")
  }
}
