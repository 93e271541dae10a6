import ArgumentParser
import AtollEdit

/// `atoll pause`: nothing is exchanged with other nodes any more.
struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Exchanges nothing with other nodes until `atoll resume`.",
    discussion: """
      The daemon ends its links and makes no more, also when it is started again; applications go on \
      writing, and what they write is sent once exchange goes on. Of this replica only.
      """)

  @OptionGroup var argument: StoreArgument

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    try editor.pause()
  }
}

/// `atoll resume`: exchange goes on.
struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Exchanges with other nodes again, after `atoll pause`.")

  @OptionGroup var argument: StoreArgument

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    try editor.resume()
  }
}
