import AtollNode
import AtollStudio
import Foundation

/// The page of the daemon's stores, and the file that says how to get in.
///
/// The token is in that file, which only the daemon's user may read, and in no log line.
final class DaemonStudio {
  private let file: String
  private var options: Studio.Options
  private var studio: Studio

  /// Opens the page.
  ///
  /// - Parameters:
  ///   - settings: With the stores, and whether they may be changed.
  ///   - port: Of loopback; 0 takes a free one.
  /// - Throws: `DaemonFailure.studio` if it cannot be shown there, or the file cannot be written.
  init(_ settings: Settings, at port: Int) async throws(DaemonFailure) {
    file = (settings.node.stores.first ?? "atolld") + "-studio"
    var options = Studio.Options(
      stores: settings.node.stores, port: port, isReadOnly: !settings.studioWrites)
    options.token = Studio.newToken()
    do {
      studio = try await Studio(options)
      // It stays where it is when the stores change.
      options.port = studio.port
      try Self.write(studio.address + "\n", to: file)
    } catch {
      throw .studio(detail: "\(error)")
    }
    self.options = options
  }

  /// The announcement on standard output.
  var announcement: String {
    "studio at http://127.0.0.1:\(studio.port); open the address that \(file) has"
  }

  /// Shows other stores at the same address.
  ///
  /// - Throws: `DaemonFailure.studio`; nothing is shown then.
  func change(stores: [String]) async throws(DaemonFailure) {
    guard stores != options.stores else { return }
    await studio.stop()
    options.stores = stores
    do {
      studio = try await Studio(options)
    } catch {
      // The next reload tries again.
      options.stores = []
      throw .studio(detail: "\(error)")
    }
  }

  func stop() async {
    await studio.stop()
    try? FileManager.default.removeItem(atPath: file)
  }

  /// Writes a file that only this user may read, at any moment.
  private static func write(_ text: String, to path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
  }
}
