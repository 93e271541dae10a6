import AtollVocabulary
import NIOCore
import NIOHTTP1
import Synchronization

/// The connections of a listener: when there are too many, the one that has waited longest for its request goes.
final class ConnectionLimits: Sendable {
  private struct State {
    var open = 0
    var next = 0
    /// Those that have sent no whole request yet, by the order in which they began to wait.
    var waiting: [Int: any Channel] = [:]
  }

  private let state = Mutex(State())

  /// Counts a connection that was accepted; false if there is no place for it.
  func open() -> Bool {
    let (hasPlace, longest) = state.withLock { state -> (Bool, (any Channel)?) in
      guard state.open >= Limits.studioConnections else {
        state.open += 1
        return (true, nil)
      }
      guard let first = state.waiting.keys.min() else { return (false, nil) }
      state.open += 1
      return (true, state.waiting.removeValue(forKey: first))
    }
    longest?.close(promise: nil)
    return hasPlace
  }

  func close() { state.withLock { $0.open -= 1 } }

  /// Notes that a connection waits for a request; returns its place among those that do.
  func wait(_ channel: any Channel) -> Int {
    state.withLock { state in
      state.next += 1
      state.waiting[state.next] = channel
      return state.next
    }
  }

  func leave(_ place: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: place) } }
}

/// Closes a connection that takes too long to send a request, or to take an answer.
final class ConnectionDeadlines: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private var isCounted = false
  private var place: Int?
  private var deadline: Scheduled<Void>?
  /// Parts that were written and that the system has not taken yet.
  private var unwritten = 0

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelActive(context: ChannelHandlerContext) {
    isCounted = limits.open()
    guard isCounted else { return context.close(promise: nil) }
    wait(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    stopWaiting()
    if isCounted { limits.close() }
    isCounted = false
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) { stopWaiting() }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
    let promise = promise ?? context.eventLoop.makePromise()
    unwritten += 1
    begin(context, Limits.studioTakeTimeout)
    promise.futureResult.assumeIsolated().whenComplete { [self] _ in
      unwritten -= 1
      deadline?.cancel()
      guard context.channel.isActive else { return }
      if unwritten > 0 {
        begin(context, Limits.studioTakeTimeout)
      } else if isEnd {
        wait(context)
      }
    }
    context.write(data, promise: promise)
  }

  private func wait(_ context: ChannelHandlerContext) {
    place = limits.wait(context.channel)
    begin(context, Limits.studioRequestTimeout)
  }

  private func stopWaiting() {
    deadline?.cancel()
    if let place { limits.leave(place) }
    place = nil
  }

  private func begin(_ context: ChannelHandlerContext, _ time: Duration) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
      context.close(promise: nil)
    }
  }
}
