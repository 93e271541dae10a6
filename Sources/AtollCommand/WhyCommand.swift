import ArgumentParser
import AtollEdit
import AtollInspect

/// `atoll why`: how a value came to be what it is.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Tells why a property holds what it holds.",
    discussion: """
      Who wrote the value, when, in which changeset, and by which peer it came; what it overwrote; and \
      which concurrent values lost to it, by which rule. Reads the whole log; of what was cut off it \
      (`atoll gc`) who wrote it, and when. --restore writes the value of one of these changesets once \
      more, which replicates as any write does. Example: \
      atoll why airports.atoll Airport LSZH coordinate.latitude
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The name of the class.")
  var className: String

  @Argument(help: "The primary key of the object.")
  var key: String

  @Argument(help: "The property, through embedded objects with dots between.")
  var property: String

  @Option(
    help: ArgumentHelp(
      "Write the value of this changeset once more; at least 16 digits of its hash.",
      valueName: "changeset"))
  var restore: String?

  func run() throws {
    if let restore {
      let editor = try argument.edit()
      defer { editor.close() }
      _ = try editor.write([
        StoreEdit(className, key: key, .restore(path: property, changeset: restore))
      ])
    }
    let store = try argument.inspect()
    defer { store.close() }
    print(lines: try store.why(className, key: key, property: property).lines)
  }
}

/// An explanation for people: what holds first, then what it overwrote, then what lost.
extension ExplanationReport {
  fileprivate var lines: [String] {
    let value = value ?? "not there: the object was deleted"
    let writes = writes.reversed()
    var lines = ["\(`class`) \(key) \(path) is \(value)"]
    for write in writes where write.fate == .holds { lines += write.text("written ") }
    if let holder {
      lines += [
        "written   at \(ReadableTime(holder.time).text) by \(holder.by.text)",
        "            in a changeset that every replica had, and that was cut off the log",
      ]
    }
    for write in writes.filter({ $0.fate == .overwritten }).prefix(Self.shown) {
      lines += write.text("overwrote")
    }
    for write in writes where write.fate == .lost { lines += write.text("lost    ") }
    for conflict in conflicts {
      let lost = "\(conflict.place) \(conflict.losing.text)"
      lines.append("ledger    \(conflict.number): \(lost); \(conflict.reason)")
    }
    if isCut { lines.append("earlier writes are in the log") }
    return lines
  }

  /// Overwritten values that are told; the log has all.
  private static let shown = 10
}

extension ExplanationReport.Write {
  fileprivate func text(_ label: String) -> [String] {
    let value = isDefault ? "\(value), a default" : value
    let peer = peer.map { ", came by \($0.shortText)" } ?? ""
    return [
      "\(label) \(value)" + (rule.map { ": \($0)" } ?? ""),
      "            at \(ReadableTime(time).text) by \(by.text)\(peer)",
      "            changeset \(by.shortAuthor):\(sequence) \(hash.prefix(16))",
    ]
  }
}
