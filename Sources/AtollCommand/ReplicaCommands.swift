import ArgumentParser
import AtollInspect
import AtollStorage
import AtollVocabulary

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
    let file = try subject.argument.write()
    defer { file.close() }
    let replica = try Inspection(file).replica(called: subject.replica)
    guard replica != file.author.replica else { throw CommandError.retiresItself(replica) }
    try file.retire(replica)
    print("retired  \(try file.replicaNames().text(replica))")
  }
}

/// `atoll peer readmit`: a retired replica is waited for again.
struct PeerReadmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readmit", abstract: "Takes a retired replica in again, on all replicas.")

  @OptionGroup var subject: ReplicaArgument

  func run() throws {
    let file = try subject.argument.write()
    defer { file.close() }
    let replica = try Inspection(file).replica(called: subject.replica)
    try file.readmit(replica)
    print("member   \(try file.replicaNames().text(replica))")
  }
}
