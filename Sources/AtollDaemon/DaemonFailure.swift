import AtollEventLoop
import AtollNode
import AtollVocabulary
import Foundation
import Logging

/// Why the daemon ended other than by a signal.
enum DaemonFailure: Error {
  /// All that is wrong with the settings.
  case settings([SettingProblem])
  case node(NodeError)
  case portFile(path: String, detail: String)
  /// Metrics cannot be told there.
  case metrics(EventLoopError)
  /// The stores cannot be shown there.
  case studio(detail: String)

  /// After `sysexits.h`.
  var exitCode: Int32 {
    switch self {
    case .settings, .portFile: 78
    case .metrics, .studio: 69
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
    case .studio(let detail): detail
    }
  }
}

/// The place of words for people that no logger writes: why the daemon does not start.
enum StandardError {
  /// Writes a line each, in the form of log lines where those are JSON.
  static func write(_ lines: [String], as format: LogFormat) {
    let texts = lines.map { line in
      switch format {
      case .text: "atolld: \(line.shownOnOneLine)"
      case .json:
        LogLine(time: Date(), level: .critical, message: line, metadata: [:]).json
      }
    }
    let text = texts.map { "\($0)\n" }.joined()
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
