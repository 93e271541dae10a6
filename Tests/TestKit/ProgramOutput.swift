package import Foundation

/// A program that runs to its end, and what it printed.
package enum ProgramOutput {
  /// Runs a program.
  ///
  /// Its output is read on a thread of its own, so that the tasks of a test go on meanwhile.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Its arguments.
  ///   - folder: The folder that it runs in; nil is this process's.
  /// - Returns: The lines of its standard output and error, and its exit code.
  /// - Throws: If it does not start.
  package static func lines(
    of path: String, _ arguments: [String], in folder: URL? = nil
  ) async throws -> (lines: [String], code: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
        process.waitUntilExit()
        let text = String(decoding: data ?? Data(), as: UTF8.self)
        continuation.resume(
          returning: (text.split(separator: "\n").map(String.init), process.terminationStatus))
      }
    }
  }
}
