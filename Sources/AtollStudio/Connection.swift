import AtollVocabulary
import Foundation
import NIOCore
import NIOHTTP1

/// One connection of a browser: its requests, one after the other.
struct Connection {
  typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
  typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

  private let channel: Channel
  private let handler: Listener.Handler

  init(_ channel: Channel, _ handler: @escaping Listener.Handler) {
    self.channel = channel
    self.handler = handler
  }

  /// Makes a connection of an accepted socket; bounds, time-outs and HTTP come first.
  static func channel(
    on channel: any NIOCore.Channel, _ limits: ConnectionLimits
  ) throws -> Channel {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
    try pipeline.addHandler(ConnectionDeadlines(limits))
    return try Channel(wrappingChannelSynchronously: channel)
  }

  /// Answers until either side ends the connection.
  func serve() async {
    try? await channel.executeThenClose { requests, writer in
      var parts = requests.makeAsyncIterator()
      while case .head(let head)? = try await parts.next() {
        guard let body = try await Self.body(&parts) else {
          let words = "The body has more than \(Limits.studioBodyBytes) bytes; send it in parts."
          try await write(.refusal(.tooLarge, Refusal(words)), to: head, writer, isLast: true)
          return
        }
        let response = await handler(Self.request(head, body))
        try await write(response, to: head, writer, isLast: !head.isKeepAlive)
        guard head.isKeepAlive else { return }
      }
    }
  }

  /// The body of a request; nil if it is too large.
  private static func body(
    _ parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  ) async throws -> Data? {
    var body = ByteBuffer()
    while let part = try await parts.next() {
      switch part {
      case .head: return nil
      case .body(var piece):
        guard body.readableBytes + piece.readableBytes <= Limits.studioBodyBytes else { return nil }
        body.writeBuffer(&piece)
      case .end: return Data(body.readableBytesView)
      }
    }
    throw ChannelError.eof
  }

  static func request(_ head: HTTPRequestHead, _ body: Data) -> StudioRequest {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts.first ?? "")
    var request = StudioRequest(
      method: StudioRequest.Method(rawValue: head.method.rawValue),
      path: path.removingPercentEncoding ?? path, body: body)
    for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let words = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = decoded(words[0])
      if request.query[name] == nil {
        request.query[name] = words.count > 1 ? decoded(words[1]) : ""
      }
    }
    // Of a header that is there twice both values count, so that two hosts are none that is known.
    for (name, value) in head.headers {
      let name = name.lowercased()
      request.headers[name] = request.headers[name].map { "\($0), \(value)" } ?? value
    }
    return request
  }

  /// A part of a query, in which a form writes spaces as plus signs.
  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text).replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }

  private func write(
    _ response: StudioResponse, to head: HTTPRequestHead, _ writer: Writer, isLast: Bool
  ) async throws {
    var answer = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status.rawValue))
    for (name, value) in response.headers { answer.headers.add(name: name, value: value) }
    if isLast { answer.headers.add(name: "connection", value: "close") }
    switch response.body {
    case .bytes(let data):
      answer.headers.add(name: "content-length", value: "\(data.count)")
      try await writer.write(.head(answer))
      if head.method != .HEAD, !data.isEmpty {
        try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: data))))
      }
    case .stream(let pieces):
      try await writer.write(.head(answer))
      if head.method != .HEAD {
        for await piece in pieces {
          try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
      }
    }
    try await writer.write(.end(nil))
  }
}
