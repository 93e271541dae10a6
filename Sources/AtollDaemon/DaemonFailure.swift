import AtollEventLoop
import AtollNode
import Foundation

/// Why the daemon ended other than by a signal.
enum DaemonFailure: Error {
  /// All that is wrong with the settings.
  case settings([SettingProblem])
  case node(NodeError)
  case portFile(path: String, detail: String)
  /// Metrics cannot be told there.
  case metrics(EventLoopError)

  /// After `sysexits.h`.
  var exitCode: Int32 {
    switch self {
    case .settings, .portFile: 78
    case .metrics: 69
    case .node(let error):
      switch error {
      case .alreadyServed, .system: 69
      case .storage, .lockFile: 74
      case .storeTwice, .transport, .identityFile: 78
      }
    }
  }
}

extension DaemonFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .settings(let problems): problems.map(\.description).joined(separator: "\n")
    case .node(let error): "\(error)"
    case .portFile(let path, let detail): "writing the port file \(path): \(detail)"
    case .metrics(let error): "telling metrics: \(error)"
    }
  }
}

/// Where words for people go that are no log line.
enum StandardError {
  static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
