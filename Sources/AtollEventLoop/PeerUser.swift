internal import CUV

/// The user whose process has the other end of a connection within this machine.
///
/// The kernel knows it of TCP over loopback too, as it does of Unix-domain sockets (`SO_PEERCRED`): it is the
/// user that made the socket.
package enum PeerUser: Hashable, Sendable {
  case user(UInt32)
  /// The connection is there, and no process has accepted it yet.
  case notYet
  /// The system does not tell, for this reason.
  case unknown(String)

  /// The user that this process acts as.
  package static var own: UInt32 { geteuid() }
}

extension ByteStream {
  /// Asks the system who has the other end; for TCP streams within this machine.
  package var peerUser: PeerUser {
    guard isOpen else { return .unknown("the stream is closed") }
    let descriptor = atoll_tcp_descriptor(pointer())
    guard descriptor >= 0 else { return .unknown(String(cString: uv_strerror(descriptor))) }
    let answer = atoll_socket_peer_user(descriptor)
    if answer >= 0 { return .user(UInt32(truncatingIfNeeded: answer)) }
    if answer == -Int64(EAGAIN) { return .notYet }
    if answer == -Int64(ENOENT) {
      return .unknown("the other side ended the connection, as a node does with another user")
    }
    return .unknown(String(cString: strerror(Int32(clamping: -answer))))
  }
}
