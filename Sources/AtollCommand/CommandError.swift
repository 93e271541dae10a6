import AtollStorage
import AtollVocabulary

/// The refusals of a command itself; all others are the storage's.
enum CommandError: Error {
  case alreadyThere(path: String)
  case notAnIDNorAStore(String, StorageError)
  case unwritable(path: String, reason: String)
  case unreadable(path: String)
  case noSchema(path: String, detail: String)
  case notDeferred(String, deferred: [String])
  case repairsAlone(path: String)
  case notACode(String)
  case notARecoveryCode
  case notAnIdentity(String)
}

extension CommandError: CustomStringConvertible {
  var description: String {
    switch self {
    case .alreadyThere(let path):
      "making a store: there is something at \(path) already; `atoll status \(path)` shows a "
        + "store, any other file has to be moved away first"
    case .notAnIDNorAStore(let text, let error):
      "joining: \"\(text)\" is neither a store's id (32 hexadecimal digits) nor a store file: "
        + "\(error)"
    case .notDeferred(let text, let deferred):
      "releasing \"\(text)\": it names no one author with deferred changesets; "
        + (deferred.isEmpty
          ? "nobody has any" : "there are some of \(deferred.joined(separator: ", "))")
    case .repairsAlone(let path):
      "repairing after a wrong clock: no peer is linked to a node that serves \(path), and only a peer can tell "
        + "whether its disk was rolled back. Start the node, wait until `atoll status` shows a peer as connected, and "
        + "repeat it; or add --alone, if the disk was not rolled back since a peer was linked"
    case .unreadable(let path):
      "reading \(path): there is no such file, or it may not be read; correct the path"
    case .noSchema(let path, let detail):
      "reading the schema \(path): \(detail); write it with `atoll schema STORE --json`"
    case .notACode(let text):
      "pairing: \"\(text)\" is no pairing code: a character is wrong, missing or misplaced; a code "
        + "has 25 letters and digits, as `atoll pair STORE` printed them"
    case .notARecoveryCode:
      "using a recovery code: what was read is none: a character is wrong, missing or misplaced; a code has 25 "
        + "letters and digits, as `atoll recovery new` printed them"
    case .notAnIdentity(let text):
      "adding a peer: \"\(text)\" is no identity: a character is wrong, missing or misplaced; an "
        + "identity has 56 letters and digits, as `atoll identity` prints them there"
    case .unwritable(let path, let reason):
      "writing to \(path): \(reason); choose a place in a folder that exists and is writable"
    }
  }
}
