import AtollEventLoop
import AtollNode
import AtollTransport
import Foundation
import Logging

/// The settings of the daemon, with every value checked.
struct Settings {
  private(set) var node: NodeConfiguration
  private(set) var portFile: String?
  private(set) var logLevel = Logger.Level.info
  private(set) var logFormat = LogFormat.text
  /// The address of metrics and health; nil if there is none.
  private(set) var metrics: SocketAddress?
  /// The port of loopback at which the stores are shown in the browser; nil if nowhere.
  private(set) var studio: Int?
  private(set) var studioWrites = false
  /// Each setting that was given with its values, for people, in the order of the keys.
  private(set) var told: [String]

  /// Checks everything that can be checked without opening or making anything.
  ///
  /// - Throws: `DaemonFailure.settings` with all that is wrong.
  init(_ values: SettingValues) throws(DaemonFailure) {
    var check = SettingCheck(values)
    let stores = check.stores()
    let listen = check.listen()
    node = NodeConfiguration(
      stores: stores, listen: listen, peers: check.peers(except: listen), agent: "atolld")
    node.mayCreate = check.mayCreate()
    node.protection = check.word(.security) ?? .automatic
    node.identityFile =
      values[.identity].first?.text
      ?? values[.data].first.map { IdentityFile(inFolder: $0.text).path }
      ?? stores.first.map { IdentityFile(besideStore: $0).path }
    node.authorityFile = check.authority()
    node.memoryBytes = check.memory(stores: stores.count)
    node.peerMemoryBytes = check.peerMemory(atMost: node.memoryBytes)
    node.snapshotChangesets = check.snapshotChangesets()
    node.truncationAge = check.truncationAge()
    portFile = check.portFile(listen)
    logLevel = check.word(.logLevel) ?? .info
    logFormat = check.word(.logFormat) ?? .text
    metrics = check.metrics(listen)
    studio = check.studio(listen)
    studioWrites = check.word(.studioWrites) == YesOrNo.yes
    told = SettingKey.allCases.flatMap { key in
      values[key].map { "\(key.rawValue) = \($0.text)    (\($0.place))" }
    }
    guard check.problems.isEmpty else { throw .settings(check.problems) }
  }

  /// Hands the node a socket that listens already, in the place of ``NodeConfiguration/listen``.
  mutating func adopt(listener descriptor: Int32) { node.inheritedListener = descriptor }

  /// Takes over from newer settings what takes effect without a restart.
  mutating func take(_ new: Settings) {
    node.stores = new.node.stores
    node.peers = new.node.peers
    (logLevel, logFormat) = (new.logLevel, new.logFormat)
  }
}

/// The formats of log lines.
enum LogFormat: String, CaseIterable, Sendable {
  case text, json
}
