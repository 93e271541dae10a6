import ArgumentParser
import AtollInspect
import AtollStorage
import AtollVocabulary

/// `atoll name`: what people call a replica.
struct NameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "name", abstract: "Names this replica, for all replicas of the store.",
    discussion: """
      `why`, `conflicts` and `status` tell the name beside the id, here and on every replica that has \
      applied the change. Without a name, shows what replicas are called. Names need not differ.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The name, at most \(Limits.replicaNameBytes) bytes.")
  var name: String?

  func run() throws {
    let file = try name == nil ? argument.read() : argument.write()
    defer { file.close() }
    if let name { try file.setReplicaName(name) }
    for named in try Inspection(file).names() { print("\(named.replica)  \(named.name)") }
  }
}
