import AtollInspect
import AtollStorage

/// A change that cannot be made as it was asked for; what the file refuses is `StorageError`.
///
/// An index is the place of an edit in its transaction, from 0; messages count from 1.
package enum EditError: Error, Hashable, Sendable {
  /// Objects that a table cannot hold without losing something.
  case notInCSV(class: String, detail: String)
  /// A text that is not that of edits; without an index it is wrong as a whole.
  case malformed(index: Int?, detail: String)
  /// An edit of what there is not, or of a value that its property does not take.
  case refused(index: Int, detail: String)
  case wrongCount(Int, limit: Int)
  case nothingToUndo
  /// Somebody has changed since what is to be taken back.
  case changedSince(index: Int, what: String, found: String, expected: String)
  /// The object or element whose edit is to be taken back is not there any more.
  case gone(index: Int, what: String)
}

extension EditError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInCSV(let name, let detail):
      "writing \(name) as CSV: \(detail), which a table cannot tell; export it as JSON lines"
    case .malformed(let index, let detail):
      "reading \(index.map { "edit \($0 + 1)" } ?? "the edits"): \(detail)"
    case .refused(let index, let detail): "edit \(index + 1): \(detail). Nothing was written"
    case .wrongCount(let count, let limit):
      "writing \(count) edits: one transaction has 1 to \(limit); split them"
    case .nothingToUndo: "undoing: nothing that was written here is left to be taken back"
    case .changedSince(let index, let what, let found, let expected):
      "undoing edit \(index + 1): \(what) is \(found), expected \(expected), which the edit had written: "
        + "it was changed since. Nothing was written; force the undo to overwrite it"
    case .gone(let index, let what):
      "undoing edit \(index + 1): \(what) is not there any more. Nothing was written; force the undo to "
        + "take back the rest"
    }
  }
}

extension EditError {
  /// Describes the error of an edit, with its index; nil if the cause is not in the edit.
  init?(_ error: any Error, at index: Int) {
    switch error {
    case let error as EditError: self = error
    case let problem as Importer.Problem: self = .refused(index: index, detail: problem.text)
    case let error as InspectionError: self = .refused(index: index, detail: "\(error)")
    case let error as StorageError where error.isOfAValue:
      self = .refused(index: index, detail: "\(error)")
    case UndoProblem.changed(let what, let found, let expected):
      self = .changedSince(index: index, what: what, found: found, expected: expected)
    case UndoProblem.gone(let what): self = .gone(index: index, what: what)
    case _: return nil
    }
  }
}
