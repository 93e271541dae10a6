package import AtollTransport
internal import AtollVocabulary
private import Foundation

/// The file with a node's key, which is what the node is to others.
///
/// Private to its user, made at the first start, complete or not at all; two processes that make it
/// at once end with the same one.
package struct IdentityFile: Hashable, Sendable {
  package let path: String
  /// Of a file that has a key and certificates up to an authority.
  private static let byteLimit = 256 << 10

  package init(_ path: String) { self.path = path }

  /// The path of the key of a node that serves stores in `folder`.
  package init(inFolder folder: String) {
    self.init(folder.isEmpty ? "atoll-identity.pem" : folder + "/atoll-identity.pem")
  }

  /// The path of the key of a node that serves the store at `path`, by default.
  package init(besideStore path: String) {
    let store = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    self.init(inFolder: store.deletingLastPathComponent().path)
  }

  /// Reads the key; makes one if there is none yet.
  ///
  /// - Throws: `NodeError.identityFile` if it cannot be read, or others can.
  package func open() throws(NodeError) -> Credentials {
    if let pem = try read(isPrivate: true) { return try credentials(pem) }
    try make()
    guard let pem = try read(isPrivate: true) else { throw failure("it is gone again") }
    return try credentials(pem)
  }

  /// Certificates in a file that is no secret: those of an authority.
  package func readCertificates() throws(NodeError) -> [UInt8] {
    guard let pem = try read(isPrivate: false) else { throw failure("there is no such file") }
    return pem
  }

  // MARK: Reading

  private func credentials(_ pem: [UInt8]) throws(NodeError) -> Credentials {
    do throws(TransportError) {
      return try Credentials(pem: pem)
    } catch {
      throw failure("\(error)")
    }
  }

  /// The file's bytes; nil if there is none.
  private func read(isPrivate: Bool) throws(NodeError) -> [UInt8]? {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(Self.words(errno))
    }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw failure(Self.words(errno)) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw failure("it is no file") }
    // Looked at on the open file, so that nobody puts another one there meanwhile.
    guard !isPrivate || facts.st_mode & 0o077 == 0 else {
      let mode = String(facts.st_mode & 0o777, radix: 8)
      throw failure(
        "others can read or change it (mode 0\(mode)); run `chmod 600 \(path)`, and if somebody "
          + "may have copied it, remove it: the next start makes another key")
    }
    guard facts.st_size <= Self.byteLimit else { throw failure("it is no key: it is too large") }
    return try read(descriptor, count: Int(facts.st_size))
  }

  private func read(_ descriptor: Int32, count: Int) throws(NodeError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = bytes.withUnsafeMutableBytes { buffer in
        Foundation.read(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
      }
      if taken < 0, errno == EINTR { continue }
      guard taken >= 0 else { throw failure(Self.words(errno)) }
      if taken == 0 { break }
      filled += taken
    }
    return Array(bytes.prefix(filled))
  }

  // MARK: Making

  /// Writes a new key beside its place and then links it there, which fails if one is there.
  private func make() throws(NodeError) {
    let pem: [UInt8]
    do throws(TransportError) {
      pem = try Credentials(makingKeyOf: Self.hostName()).pem()
    } catch {
      throw failure("\(error)")
    }
    let draft = path + ".new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    defer { unlink(draft) }
    try write(pem, to: draft)
    guard link(draft, path) == 0 || errno == EEXIST else { throw failure(Self.words(errno)) }
  }

  private func write(_ bytes: [UInt8], to draft: String) throws(NodeError) {
    let descriptor = Foundation.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(Self.words(errno)) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let taken = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if taken < 0, errno == EINTR { continue }
      guard taken > 0 else { throw failure(Self.words(errno)) }
      rest = rest.dropFirst(taken)
    }
    guard fsync(descriptor) == 0 else { throw failure(Self.words(errno)) }
  }

  private static func hostName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
      name.initialize(repeating: 0)
      guard let start = name.baseAddress, gethostname(start, name.count - 1) == 0 else { return "" }
      return String(cString: start)
    }
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

  private func failure(_ detail: String) -> NodeError { .identityFile(path: path, detail: detail) }
}
