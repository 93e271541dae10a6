import AtollEventLoop
import Foundation

/// The process that started this one, if it is systemd or speaks like it.
///
/// It hands over a socket that listens already (`LISTEN_FDS`, from descriptor 3 on), and wants to be
/// told when the daemon is ready, reloads, stops and is alive (`NOTIFY_SOCKET`, `WATCHDOG_USEC`). The
/// protocols are those of sd_listen_fds(3) and sd_notify(3); without them all of this is nothing.
struct Supervisor: Sendable {
  /// A socket that was handed over, and what it is bound to.
  struct Listener: Sendable {
    let descriptor: Int32
    let address: SocketAddress
  }

  let listener: Listener?
  private let notifyPath: String?
  /// The interval of the reports that the daemon is alive; nil if none are needed.
  let watchdog: Duration?
  private static let firstDescriptor: Int32 = 3

  init(_ environment: [String: String]) {
    notifyPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let isForUs = environment["WATCHDOG_PID"].map { $0 == own } ?? true
    watchdog = isForUs ? environment["WATCHDOG_USEC"].flatMap(Self.microseconds) : nil
    listener =
      environment["LISTEN_PID"] == own && (environment["LISTEN_FDS"].flatMap { Int($0) } ?? 0) > 0
      ? Self.listener(Self.firstDescriptor) : nil
  }

  private static func microseconds(_ text: String) -> Duration? {
    Int64(text).flatMap { $0 > 0 ? .microseconds($0) : nil }
  }

  private static func listener(_ descriptor: Int32) -> Listener? {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return SocketAddress(ofSocket: descriptor).map { Listener(descriptor: descriptor, address: $0) }
  }

  // MARK: Telling

  func tellReady(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

  func tellStopping() { tell("STOPPING=1\nSTATUS=stopping") }

  func tellAlive() { tell("WATCHDOG=1") }

  func tellReloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    tell("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
  }

  /// Sends one datagram, which the supervisor need not read.
  private func tell(_ text: String) {
    guard let path = notifyPath, var address = Self.address(path) else { return }
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let size = MemoryLayout<sa_family_t>.size + path.utf8.count
    // A path ends with a zero; a name that begins with one, for `@`, is as long as it is.
    let length = socklen_t(path.hasPrefix("@") ? size : size + 1)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(
          socket, text, text.utf8.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          address, length)
      }
    }
  }

  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isFitting = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard path.utf8.count < bytes.count else { return false }
      bytes.copyBytes(from: path.utf8)
      if path.hasPrefix("@") { bytes[0] = 0 }
      return true
    }
    return isFitting ? address : nil
  }
}
