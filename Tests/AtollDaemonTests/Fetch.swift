import AtollEventLoop
import Foundation
import LoopTestKit

/// Returns a daemon's answer at a path: all bytes until it ends the connection.
func fetch(_ path: String, at port: UInt16) async throws -> String {
  try await exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", at: port)
}

/// Sends text to a port of this machine; what comes back until the other side ends.
func exchange(_ text: String, at port: UInt16) async throws -> String {
  try await exchange(Array(text.utf8), at: port)
}

/// Sends bytes to a port of this machine; what comes back until the other side ends.
func exchange(_ sent: [UInt8], at port: UInt16) async throws -> String {
  let answer = Promise<String>()
  let received = Shared([UInt8]())
  try await withLoop { place in
    try await place.run { place throws(EventLoopError) in
      guard let address = SocketAddress(host: "127.0.0.1", port: port) else { return }
      let stream = ByteStream(connectingTo: address, loop: place.loop)
      stream.onConnect = {
        stream.startReading()
        stream.write(sent)
      }
      stream.onBytes = { bytes in
        let bytes = Array(bytes)
        received.withLock { $0 += bytes }
      }
      stream.onClose = { _ in
        answer.keep(received.withLock { String(decoding: $0, as: UTF8.self) })
      }
      place.keep(stream)
    }
    _ = try await answer.value(within: .seconds(20))
  }
  return try await answer.value()
}

/// The value of one metric in the text of all: the first whose name and labels begin so.
func metric(_ beginning: String, in text: String) -> Double? {
  text.split(separator: "\r\n").last?.split(separator: "\n").first { $0.hasPrefix(beginning) }
    .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
}
