import Foundation

/// A program that is not ours, run to its end.
enum Shell {
  struct Ending {
    let code: Int32
    /// Standard output and standard error.
    let text: String
  }

  static func run(_ words: String...) throws -> Ending {
    let quoted = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    guard let pipe = popen(quoted.joined(separator: " ") + " 2>&1 </dev/null", "r") else {
      throw TestFailure("\(words) was not started: \(String(cString: strerror(errno)))")
    }
    var text = ""
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, Int32(buffer.count), pipe) != nil {
      text += String(
        decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return Ending(code: pclose(pipe) >> 8 & 0xFF, text: text)
  }
}
