import ArgumentParser
import AtollEdit

/// The store and the replica that a command is about.
struct ReplicaArgument: ParsableArguments {
  @OptionGroup var argument: StoreArgument

  @Argument(help: "Its name, or the beginning of its id.")
  var replica: String
}

/// `atoll peer retire`: nobody waits for a replica any more.
struct PeerRetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Has nobody wait for a replica any more, on all replicas.",
    discussion: """
      For a replica that is gone for good. It holds up neither applications that wait for everyone \
      nor the truncation of the log. It is retired on another replica, not on its own. If it comes back, `atoll peer readmit` takes it in again.
      """)

  @OptionGroup var subject: ReplicaArgument

  func run() throws {
    let editor = try subject.argument.edit()
    defer { editor.close() }
    print("retired  \(try editor.retire(subject.replica))")
  }
}

/// `atoll peer readmit`: a retired replica is waited for again.
struct PeerReadmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readmit", abstract: "Takes a retired replica in again, on all replicas.")

  @OptionGroup var subject: ReplicaArgument

  func run() throws {
    let editor = try subject.argument.edit()
    defer { editor.close() }
    print("member   \(try editor.readmit(subject.replica))")
  }
}
