/// Something a check does not accept: where it stands, and what to write instead.
struct Finding: Hashable, Sendable, CustomStringConvertible {
  let path: String
  /// From 1; nil where the file as a whole is meant.
  let line: Int?
  let instead: String

  init(_ path: String, line: Int? = nil, _ instead: String) {
    self.path = path
    self.line = line
    self.instead = instead
  }

  var description: String {
    line.map { "\(path):\($0): \(instead)" } ?? "\(path): \(instead)"
  }
}
