import AtollNode
import Foundation

/// Why the daemon ended other than by a signal.
enum DaemonFailure: Error {
  /// Where the setting stands, and what is wrong with it.
  case setting(place: String, problem: String)
  case node(NodeError)
  case portFile(path: String, detail: String)

  /// After `sysexits.h`.
  var exitCode: Int32 {
    switch self {
    case .setting, .portFile: 78
    case .node(let error):
      switch error {
      case .alreadyServed, .system: 69
      case .storage, .lockFile: 74
      case .storeTwice, .transport: 78
      }
    }
  }
}

extension DaemonFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .setting(let place, let problem): "\(place): \(problem)"
    case .node(let error): "\(error)"
    case .portFile(let path, let detail): "writing the port file \(path): \(detail)"
    }
  }
}

/// Where words for people go that are no log line.
enum StandardError {
  static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
