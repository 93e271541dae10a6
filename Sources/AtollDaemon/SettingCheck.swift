import AtollEventLoop
import AtollTransport
import AtollVocabulary
import Foundation
import Logging

/// Turns texts into values, and gathers what is wrong with them on the way.
struct SettingCheck {
  private let values: SettingValues
  private(set) var problems: [SettingProblem]

  init(_ values: SettingValues) {
    self.values = values
    problems = values.problems
  }

  private mutating func record(_ value: SettingValues.Value, _ text: String) {
    problems.append(SettingProblem(place: value.place, text: text))
  }

  // MARK: Stores

  /// The paths of the stores, relative ones in the folder of `data`.
  mutating func stores() -> [String] {
    let folder = values[.data].first
    if let folder, !isFolder(folder.text) {
      record(folder, "there is no folder \"\(folder.text)\"; make it first")
    }
    if values[.store].isEmpty {
      problems.append(
        SettingProblem(
          place: "settings",
          text: "no store is named; add --store PATH, or `store = PATH` to the settings file"))
    }
    var paths: [String] = []
    var files: Set<String> = []
    for value in values[.store] {
      let path = Self.path(value.text, in: folder?.text)
      // A folder that was reported already is not checked again.
      let isLookedAt = value.text.hasPrefix("/") || folder.map { isFolder($0.text) } ?? true
      if isLookedAt { checkStore(path, value) }
      let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      if !files.insert(file).inserted {
        record(value, "\"\(path)\" is listed twice; list each store once")
      }
      paths.append(path)
    }
    return paths
  }

  /// Tells whether a store that is missing is made: not unless that is asked for, since most are missing because
  /// a disk is not there or a path is wrong.
  mutating func mayCreate() -> Bool {
    let answer: YesOrNo = word(.create) ?? .no
    return answer == .yes
  }

  private static func path(_ text: String, in folder: String?) -> String {
    guard let folder, !text.hasPrefix("/") else { return text }
    return folder.hasSuffix("/") ? folder + text : "\(folder)/\(text)"
  }

  private mutating func checkStore(_ path: String, _ value: SettingValues.Value) {
    if isFolder(path) { return record(value, "\"\(path)\" is a folder, expected a store file") }
    guard requireFolder(of: path, value) else { return }
    if !FileManager.default.fileExists(atPath: path), values[.create].first?.text != "yes" {
      return record(
        value,
        "there is no store \"\(path)\"; make it with `atoll init \(path)`, or have it made, empty and with a "
          + "new id, by `create = yes`")
    }
    if FileManager.default.fileExists(atPath: path),
      !FileManager.default.isWritableFile(atPath: path)
    {
      record(value, "\"\(path)\" may not be written by this user; give it to the daemon's user")
    }
  }

  /// Tells whether a file can be made at `path`.
  private mutating func requireFolder(of path: String, _ value: SettingValues.Value) -> Bool {
    let folder = Self.folder(of: path)
    guard isFolder(folder) else {
      record(value, "there is no folder \"\(folder)\"; make it first")
      return false
    }
    guard FileManager.default.isWritableFile(atPath: folder) else {
      record(value, "the folder \"\(folder)\" may not be written by this user; give it to them")
      return false
    }
    return true
  }

  /// Foundation's own way to do this traps on a path of one letter.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  // MARK: Addresses

  mutating func listen() -> Endpoint? {
    values[.listen].first.flatMap { value in
      endpoint(value) { endpoint throws(TransportError) in _ = try endpoint.listeningAddress() }
    }
  }

  /// The peers, none of which is the address that this daemon listens on.
  mutating func peers(except listen: Endpoint?) -> [Endpoint] {
    var peers: [Endpoint] = []
    for value in values[.peer] {
      guard let peer = endpoint(value, { _ in }) else { continue }
      if peer == listen {
        record(value, "this daemon listens at \(peer) itself; name another node, or leave it out")
      } else if peer.port == 0 {
        record(value, "nobody listens on port 0; give the peer's port")
      } else if peers.contains(peer) {
        record(value, "\(peer) is listed twice; list each peer once")
      }
      peers.append(peer)
    }
    if peers.count > Limits.peers, let last = values[.peer].last {
      record(last, "there are \(peers.count) peers; at most \(Limits.peers) are kept connected")
    }
    return peers
  }

  /// Returns the address of the metrics: numeric, and reachable from outside only on request.
  mutating func metrics(_ listen: Endpoint?) -> SocketAddress? {
    let isOpen: YesOrNo = word(.metricsBeyondLoopback) ?? .no
    guard let value = values[.metrics].first, let endpoint = endpoint(value, { _ in }) else {
      return nil
    }
    guard let address = endpoint.numericAddress else {
      record(value, "\"\(endpoint.host)\" is a name, expected a numeric address or localhost")
      return nil
    }
    if !address.isLoopback, isOpen == .no {
      record(
        value,
        "\(address) can be reached from other machines, and whoever asks there is told the stores' "
          + "paths and peers; use 127.0.0.1, or set `metrics-beyond-loopback = yes`")
    }
    if endpoint == listen, endpoint.port != 0 {
      record(value, "peers connect at \(endpoint) already; choose another port")
    }
    return address
  }

  /// The port of loopback at which the stores are shown: everybody there who has the token has the stores.
  mutating func studio(_ listen: Endpoint?) -> Int? {
    guard let value = values[.studio].first, let endpoint = endpoint(value, { _ in }) else {
      return nil
    }
    guard let address = endpoint.numericAddress, address.host == "127.0.0.1" else {
      record(
        value,
        "the page is shown at 127.0.0.1 only, since it is not encrypted; use that, and from another machine "
          + "`ssh -L \(endpoint.port):127.0.0.1:\(endpoint.port)`")
      return nil
    }
    if endpoint == listen, endpoint.port != 0 {
      record(value, "peers connect at \(endpoint) already; choose another port")
    }
    return Int(endpoint.port)
  }

  private mutating func endpoint(
    _ value: SettingValues.Value, _ check: (Endpoint) throws(TransportError) -> Void
  ) -> Endpoint? {
    do throws(TransportError) {
      let endpoint = try Endpoint(value.text)
      try check(endpoint)
      return endpoint
    } catch {
      record(value, "\(error)")
      return nil
    }
  }

  // MARK: Memory

  /// Returns the memory for all peers: enough for one link of each store.
  mutating func memory(stores: Int) -> Int {
    bytes(.memory, atLeast: 2 * Limits.leastWindowBytes * max(1, stores)) ?? Limits.exchangeBytes
  }

  /// Returns the memory for one peer, no more than for all.
  mutating func peerMemory(atMost total: Int) -> Int {
    guard let value = values[.peerMemory].first,
      let bytes = bytes(.peerMemory, atLeast: 2 * Limits.leastWindowBytes)
    else { return Limits.peerExchangeBytes }
    if bytes > total {
      record(value, "one peer gets more than `memory` has for all of them, \(total) bytes")
    }
    return bytes
  }

  /// A number of bytes: digits, and K, M or G behind them for 1024, its square or its cube.
  private mutating func bytes(_ key: SettingKey, atLeast least: Int) -> Int? {
    guard let value = values[key].first else { return nil }
    let shift = ["K": 10, "M": 20, "G": 30][value.text.suffix(1).uppercased()]
    let digits = shift == nil ? value.text[...] : value.text.dropLast()
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits),
      number <= Int.max >> (shift ?? 0)
    else {
      record(value, "found \"\(value.text)\", expected a number of bytes such as 64M")
      return nil
    }
    let bytes = number << (shift ?? 0)
    if bytes < least { record(value, "\(bytes) bytes are too few; at least \(least) are needed") }
    return bytes
  }

  // MARK: The rest

  mutating func authority() -> String? {
    guard let value = values[.authority].first else { return nil }
    if !FileManager.default.isReadableFile(atPath: value.text) {
      record(value, "\"\(value.text)\" is not there, or may not be read by this user")
    }
    return value.text
  }

  /// From how many changesets on a new replica is given a snapshot; nil for `never`.
  mutating func snapshotChangesets() -> UInt64? {
    guard let value = values[.snapshotAfter].first else { return Limits.snapshotChangesets }
    guard value.text != "never" else { return nil }
    guard let number = UInt64(value.text), number > 0 else {
      record(value, "found \"\(value.text)\", expected a number of changesets from 1, or never")
      return nil
    }
    return number
  }

  /// Returns the age at which changesets are cut off the log; nil for `never`.
  mutating func truncationAge() -> Duration? {
    guard let value = values[.truncateAfter].first else { return Limits.truncationAge }
    guard value.text != "never" else { return nil }
    guard let days = Int(value.text), (0...36_500).contains(days) else {
      record(value, "found \"\(value.text)\", expected a number of days from 0 to 36500, or never")
      return nil
    }
    return .seconds(days * 86_400)
  }

  mutating func portFile(_ listen: Endpoint?) -> String? {
    guard let value = values[.portFile].first else { return nil }
    _ = requireFolder(of: value.text, value)
    if values[.listen].isEmpty {
      record(value, "there is no port without --listen HOST:PORT")
    }
    return value.text
  }

  /// A value that is one of a few words; nil if it was not given.
  mutating func word<Word>(_ key: SettingKey) -> Word?
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    guard let value = values[key].first else { return nil }
    if let word = Word(rawValue: value.text) { return word }
    let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
    record(value, "found \"\(value.text)\", expected one of \(known)")
    return nil
  }
}

/// The spellings of a switch.
enum YesOrNo: String, CaseIterable {
  case yes, no
}
