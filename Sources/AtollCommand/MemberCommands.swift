import ArgumentParser
import AtollEdit
import AtollInspect
import AtollVocabulary

/// `atoll members`: who may write.
struct MembersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "Lists the replicas that may write to a store with owners.",
    discussion: """
      The first owner is the replica that founded the store (`atoll init`); owners admit others \
      (`atoll admit`) and remove them (`atoll remove`). Who is listed as requested waits for that. Where a store has no owners, whoever may connect may write, and nobody is listed.
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "One JSON object a replica instead of text.")
  var json = false

  func run() throws {
    let store = try argument.inspect()
    defer { store.close() }
    for row in try store.admissions() { print(json ? try JSONLine.text(row) : row.line) }
    if !store.hasOwners, !json {
      print("the store has no owners: whoever may connect may write")
    }
  }
}

/// `atoll admit`: another replica may write.
struct AdmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admit", abstract: "Lets a replica write to a store with owners, for good.",
    discussion: """
      On a store file of an owner. All other replicas learn of it, and take what the new one writes, also \
      what it has written before. An owner's node admits by itself who was paired with it to write.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(
    help: "Its id, 32 digits; or its name, or the beginning of its id, if it is known here.")
  var replica: String

  @Flag(help: "It admits others, too.")
  var owner = false

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    let (name, isNew) = try editor.admit(replica, as: owner ? .owner : .writer)
    print("\(owner ? "owner   " : "writer  ") \(name)\(isNew ? "" : ", as before")")
  }
}

/// `atoll remove`: another replica writes no more.
struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes a replica from a store with owners, for good.",
    discussion: """
      On a store file of an owner. What the replica has written, as far as it is here, stays. All else of it, \
      now and later, changes nothing on any replica, and nodes end its links. The keys that it alone has \
      shown to this node are taken out of the roster; do that on every other node that it may connect to \
      (`atoll peer remove`), or it can still read under another name. An owner cannot be removed.

      With --undo-since, such as after its key was stolen, what it wrote from that moment on is taken back on all \
      replicas, by the time in its stamps (`atoll log`), also if it is removed already. What others wrote upon it stays. What is \
      cut off the log cannot be taken back.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(
    help: "Its id, 32 digits; or its name, or the beginning of its id, if it is known here.")
  var replica: String

  @Option(
    help: ArgumentHelp(
      "Takes back what it wrote from a moment on: 2024-02-29T12:30:00Z.", valueName: "time"))
  var undoSince: String?

  func validate() throws {
    guard let undoSince else { return }
    do throws(DateText.Problem) {
      _ = try DateText.seconds(undoSince)
    } catch {
      throw ValidationError(
        "--undo-since \(undoSince): \(error); expected a time with its offset, such as \(DateText.example)"
      )
    }
  }

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    let (name, isNew, undone, revoked) = try editor.remove(
      replica: replica, undoingSince: undoSince)
    print("removed  \(name)\(isNew ? "" : ", as before")")
    if undoSince != nil { print("undone   \(undone) changeset\(undone == 1 ? "" : "s")") }
    for node in revoked { print("roster   \(node) may not connect any more") }
  }
}

extension AdmissionRow {
  fileprivate var line: String {
    let called = name.map { "  \($0)" } ?? ""
    let asked = askedBy.map { ", by \($0): `atoll admit` or `atoll remove`" } ?? ""
    return "\(replica)\(called)  \(admittedAs)\(asked)\(isThis ? ", this one" : "")"
  }
}
