/// A question that the store has no answer to; what the file refuses is `StorageError`.
package enum InspectionError: Error, Hashable, Sendable {
  case noSuchClass(String, path: String, known: [String])
  case noSuchKey(String, class: String, type: String)
  case noSuchColumn(String, class: String)
  case neverWritten(String, path: String)
  case noOneReplica(String, found: Int, known: [String])
}

extension InspectionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuchClass(let name, let path, let known):
      "reading \(path): it holds no class \"\(name)\"; "
        + (known.isEmpty
          ? "it holds none yet: an application or a peer declares them by using them"
          : "it holds \(known.joined(separator: ", "))")
    case .noSuchKey(let text, let name, let type):
      "looking for an object of \(name): \"\(text)\" is no \(type), which its primary key is"
    case .noSuchColumn(let name, let owner):
      "sorting objects of \(owner): it has no column \"\(name)\"; atoll objects shows the columns"
    case .neverWritten(let name, let path):
      "explaining \(name): nothing in the log of \(path) has written it; check the key with "
        + "atoll objects"
    case .noOneReplica(let text, let found, let known):
      "looking for the replica \"\(text)\": \(found == 0 ? "there is none" : "it names \(found)"); "
        + "name one by its name or id, of "
        + (known.isEmpty ? "which none is known" : known.joined(separator: ", "))
    }
  }
}
