/// Why a studio did not start.
package enum StudioError: Error, Hashable, Sendable, CustomStringConvertible {
  case portTaken(Int)
  case cannotListen(Int, String)

  package var description: String {
    switch self {
    case .portTaken(let port):
      "starting the studio: port \(port) is taken; stop who listens there, or give another with --port "
        + "(0 takes a free one)"
    case .cannotListen(let port, let detail):
      "starting the studio on port \(port): \(detail)"
    }
  }
}
