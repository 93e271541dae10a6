import AtollEventLoop
import AtollNode
import AtollTransport
import Foundation
import Logging

/// What the daemon is to do, every value checked.
struct Settings {
  var node: NodeConfiguration
  var portFile: String?
  var logLevel: Logger.Level

  /// Checks everything that can be checked without opening or making anything.
  init(_ values: SettingValues) throws(DaemonFailure) {
    let folder = try values[.data].first.map { value throws(DaemonFailure) in
      try Self.folder(value)
    }
    guard !values[.store].isEmpty else {
      throw .setting(
        place: "settings",
        problem: "no store is named; add --store PATH, or `store = PATH` to "
          + "the settings file")
    }
    var stores: [String] = []
    for value in values[.store] { stores.append(try Self.store(value, in: folder, stores)) }
    var peers: [Endpoint] = []
    for value in values[.peer] { peers.append(try Self.peer(value)) }
    var listen: Endpoint?
    if let value = values[.listen].first { listen = try Self.listener(value) }
    node = NodeConfiguration(stores: stores, listen: listen, peers: peers)
    if let value = values[.portFile].first {
      try Self.requireFolder(of: value.text, value)
      guard listen != nil else {
        throw .setting(place: value.place, problem: "there is no port without --listen HOST:PORT")
      }
      portFile = value.text
    }
    logLevel =
      try values[.logLevel].first.map { value throws(DaemonFailure) in
        try Self.level(value)
      } ?? .info
  }

  private static func folder(_ value: SettingValues.Value) throws(DaemonFailure) -> String {
    guard isFolder(value.text) else {
      throw .setting(
        place: value.place, problem: "there is no folder \"\(value.text)\"; make it first")
    }
    return value.text
  }

  private static func store(
    _ value: SettingValues.Value, in folder: String?, _ others: [String]
  ) throws(DaemonFailure) -> String {
    let path = NSString(string: folder ?? "").appendingPathComponent(value.text)
    let resolved = value.text.hasPrefix("/") ? value.text : path
    try requireFolder(of: resolved, value)
    guard !isFolder(resolved) else {
      throw .setting(
        place: value.place, problem: "\"\(resolved)\" is a folder, expected a store file")
    }
    guard !others.contains(resolved) else {
      throw .setting(
        place: value.place, problem: "\"\(resolved)\" is listed twice; list each store once")
    }
    return resolved
  }

  private static func requireFolder(
    of path: String, _ value: SettingValues.Value
  ) throws(DaemonFailure) {
    let parent = NSString(string: path).deletingLastPathComponent
    guard parent.isEmpty || isFolder(parent) else {
      throw .setting(
        place: value.place, problem: "there is no folder \"\(parent)\"; make it first")
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func listener(_ value: SettingValues.Value) throws(DaemonFailure) -> Endpoint {
    do throws(TransportError) {
      let endpoint = try Endpoint(value.text)
      _ = try endpoint.listeningAddress()
      return endpoint
    } catch {
      throw .setting(place: value.place, problem: "\(error)")
    }
  }

  private static func peer(_ value: SettingValues.Value) throws(DaemonFailure) -> Endpoint {
    do throws(TransportError) {
      let endpoint = try Endpoint(value.text)
      if let address = endpoint.numericAddress, !address.isLoopback {
        throw TransportError.notLoopback(endpoint, address: address)
      }
      return endpoint
    } catch {
      throw .setting(place: value.place, problem: "\(error)")
    }
  }

  private static func level(_ value: SettingValues.Value) throws(DaemonFailure) -> Logger.Level {
    guard let level = Logger.Level(rawValue: value.text) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw .setting(
        place: value.place, problem: "found \"\(value.text)\", expected one of \(known)")
    }
    return level
  }
}
