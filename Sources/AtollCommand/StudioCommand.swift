import ArgumentParser
import AtollStudio
import Dispatch
import Foundation
import Synchronization

/// `atoll studio`: stores in the browser.
struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Shows stores in the browser, live.",
    discussion: """
      Prints an address and opens it. The address gives access to the stores, to read and to write unless \
      --read-only is given; it is answered on this machine only, until the command is interrupted. The \
      stores may be in use by a daemon and by applications: the pages show what those commit at once.
      """)

  @Argument(help: "The store files.", completion: .file())
  var stores: [String]

  @Option(help: "The port to answer at; 0 takes a free one.")
  var port = 0

  @Flag(help: "Nothing can be changed.")
  var readOnly = false

  @Flag(help: "Only print the address.")
  var noBrowser = false

  @Option(help: ArgumentHelp("Reads the site from a folder, to work on it.", visibility: .hidden))
  var site: String?

  func validate() throws {
    guard !stores.isEmpty else { throw ValidationError("Name at least one store.") }
    guard (0...65535).contains(port) else { throw ValidationError("--port is from 0 to 65535.") }
  }

  func run() throws {
    var options = Studio.Options(stores: stores, port: port, isReadOnly: readOnly)
    options.siteFolder = site
    let ended = Ended()
    Task { [options, noBrowser] in
      do {
        let studio = try await Studio(options)
        let signals = Self.onSignal { Task { await studio.stop() } }
        print("The studio answers until it is interrupted (Ctrl-C), at")
        print("  \(studio.address)")
        fflush(nil)
        if !noBrowser { Self.open(studio.address) }
        try await studio.run()
        withExtendedLifetime(signals) {}
        ended.resume(nil)
      } catch {
        ended.resume(error)
      }
    }
    try ended.wait()
  }

  /// Opens the address in the browser, if the machine has a way to.
  private static func open(_ address: String) {
    guard ProcessInfo.processInfo.environment["DISPLAY"] != nil else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["xdg-open", address]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try? process.run()
  }

  private static func onSignal(_ body: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal]
  {
    [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      source.activate()
      return source
    }
  }

  /// The end of the studio, for the thread that waits for it.
  private final class Ended: Sendable {
    private let result = Mutex<(any Error)?>(nil)
    private let signal = DispatchSemaphore(value: 0)

    func resume(_ error: (any Error)?) {
      result.withLock { $0 = error }
      signal.signal()
    }

    func wait() throws {
      signal.wait()
      if let error = result.withLock({ $0 }) { throw error }
    }
  }
}
