import ArgumentParser
import AtollStorage
import AtollVocabulary

/// The store and the replica that a command is about.
struct ReplicaArgument: ParsableArguments {
  @OptionGroup var argument: StoreArgument

  @Argument(help: "Its name, or the beginning of its id.")
  var replica: String

  /// Changes what the store says of the replica, and prints that under `heading`.
  func change(_ heading: String, _ body: (StoreFile, ReplicaID) throws -> Void) throws {
    let file = try argument.write()
    defer { file.close() }
    let member = try file.member(called: replica)
    try body(file, member.replica)
    print("\(heading)  \(try file.replicaNames().text(member.replica))")
  }
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
    try subject.change("retired") { file, replica in
      guard replica != file.author.replica else { throw CommandError.retiresItself(replica) }
      try file.retire(replica)
    }
  }
}

/// `atoll peer readmit`: a retired replica is waited for again.
struct PeerReadmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readmit", abstract: "Takes a retired replica in again, on all replicas.")

  @OptionGroup var subject: ReplicaArgument

  func run() throws { try subject.change("member ") { try $0.readmit($1) } }
}

extension StoreFile {
  /// The one replica that is meant by a name or the beginning of an id, at least four digits.
  fileprivate func member(called text: String) throws -> Member {
    let names = try replicaNames()
    let members = try members()
    let found = members.filter { member in
      names[member.replica] == text
        || text.utf8.count >= 4 && "\(member.replica)".hasPrefix(text.lowercased())
    }
    guard let member = found.first, found.count == 1 else {
      let known = members.map { names.text($0.replica) }
      throw CommandError.noOneReplica(text, found: found.count, known: known)
    }
    return member
  }
}
