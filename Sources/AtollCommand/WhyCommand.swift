import ArgumentParser
import AtollChanges
import AtollStorage
import AtollVocabulary

/// `atoll why`: how a value came to be what it is.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Tells why a property holds what it holds.",
    discussion: """
      Who wrote the value, when, in which changeset, and by which peer it came; what it overwrote; and \
      which concurrent values lost to it, by which rule. Reads the whole log; of what was cut off it \
      (`atoll gc`) who wrote it, and when. Example: \
      atoll why airports.atoll Airport LSZH coordinate.latitude
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The name of the class.")
  var className: String

  @Argument(help: "The primary key of the object.")
  var key: String

  @Argument(help: "The property, through embedded objects with dots between.")
  var property: String

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let subject = try SubjectClass(className, in: file, at: argument.store)
    let explanation = try file.explain(
      subject.stored.id, key: try subject.key(key),
      path: property.split(separator: ".").map(String.init))
    guard !explanation.writes.isEmpty || explanation.holder != nil else {
      throw CommandError.neverWritten(
        "\(explanation.className) \(explanation.key) \(explanation.path)", path: argument.store)
    }
    let text = ExplanationText(explanation, try file.replicaNames())
    print(lines: text.lines)
  }
}

/// An explanation for people: what holds first, then what it overwrote, then what lost.
private struct ExplanationText {
  let explanation: Explanation
  let names: ReplicaNames

  init(_ explanation: Explanation, _ names: ReplicaNames) {
    self.explanation = explanation
    self.names = names
  }

  var lines: [String] {
    let name = "\(explanation.className) \(explanation.key) \(explanation.path)"
    let value = explanation.value.map { "\($0)" } ?? "not there: the object was deleted"
    let writes = explanation.writes.reversed()
    var lines = ["\(name) is \(value)"]
    for write in writes where write.fate == .holds { lines += text(write, "written ") }
    if let holder = explanation.holder,
      !writes.contains(where: { $0.changeset.author == holder.author && $0.time == holder.time })
    {
      lines += [
        "written   at \(ReadableTime(holder.time).text) by \(names.text(holder.author))",
        "            in a changeset that every replica had, and that was cut off the log",
      ]
    }
    for write in writes.filter({ $0.fate == .overwritten }).prefix(Self.shown) {
      lines += text(write, "overwrote")
    }
    for write in writes {
      if case .lost(let rule) = write.fate { lines += text(write, "lost    ", rule) }
    }
    for conflict in explanation.conflicts {
      let lost = ConflictText.side(conflict.losing, names)
      let place = ConflictText.place(conflict)
      lines.append("ledger    \(conflict.number): \(place) \(lost); \(conflict.rule)")
    }
    if explanation.isCut { lines.append("earlier writes are in the log") }
    return lines
  }

  /// Overwritten values that are told; the log has all.
  private static let shown = 10

  private func text(
    _ write: Explanation.Write, _ label: String, _ rule: ConflictRule? = nil
  ) -> [String] {
    let value = write.isDefault ? "\(write.value), a default" : "\(write.value)"
    let id = write.changeset
    let peer = write.peer.map { ", came by \(names.shortText($0))" } ?? ""
    return [
      "\(label) \(value)" + (rule.map { ": \($0)" } ?? ""),
      "            at \(ReadableTime(write.time).text) by \(names.text(id.author))\(peer)",
      "            changeset \(id.author.shortDescription):\(id.sequence) "
        + "\(id.hash.shortDescription)",
    ]
  }
}
