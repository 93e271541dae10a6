import ArgumentParser
import AtollEdit

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
    let editor = try argument.edit()
    defer { editor.close() }
    let (before, after) = try editor.compact()
    print("before   \(before) bytes")
    print("after    \(after) bytes")
  }
}
