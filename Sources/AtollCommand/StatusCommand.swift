import ArgumentParser
import AtollNode
import AtollStorage
import AtollVocabulary

/// `atoll status`: what a store is, holds, and exchanges.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows what a store is, what it holds and who serves it.")

  @OptionGroup var argument: StoreArgument

  @Flag(help: "Also compute the digest of all objects; equal on replicas that hold the same.")
  var digest = false

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    try file.beginRead()
    let counts = try file.counts().filter { !$0.class.isEmbedded }
    let vector = try file.appliedVector()
    let digest = digest ? try file.digest() : nil
    let service = StoreStatus.current(ofStoreAt: argument.store)
    if json {
      print(JSONText.line(object(file, counts, vector, digest, service)))
    } else {
      printText(file, counts, vector, digest, service)
    }
  }

  private func printText(
    _ file: StoreFile, _ counts: [(class: StoredClass, objects: Int)], _ vector: VersionVector,
    _ digest: ChainHash?, _ service: StoreStatus?
  ) {
    print("store    \(file.storeID)")
    print("replica  \(file.author)")
    for (stored, objects) in counts { print("objects  \(objects) \(stored.name)") }
    print("applied  \(vector)")
    if let digest { print("digest   \(digest)") }
    guard let service else {
      print("served   by nobody")
      return
    }
    let address = service.listening.map { ", listening at \($0)" } ?? ""
    print("served   by \(service.agent), process \(service.processID)\(address)")
    for peer in service.peers { print("peer     \(text(of: peer))") }
  }

  private func text(of peer: StoreStatus.Peer) -> String {
    let state = peer.isConnected ? "connected" : "not connected"
    let behind = peer.behind.map { $0 == 0 ? ", has everything" : ", lacks \($0) changesets" }
    let error = peer.isConnected ? nil : peer.lastError.map { ": \($0)" }
    return "\(peer.address) \(state)\(behind ?? "")\(error ?? "")"
  }

  private func object(
    _ file: StoreFile, _ counts: [(class: StoredClass, objects: Int)], _ vector: VersionVector,
    _ digest: ChainHash?, _ service: StoreStatus?
  ) -> JSONText.Value {
    let objects = counts.map { JSONText.Member($0.class.name, .optional($0.objects)) }
    let applied = vector.entries.map {
      JSONText.Member("\($0.author)", .optional($0.sequence.rawValue))
    }
    return .object([
      ("store", .string("\(file.storeID)")),
      ("replica", .string("\(file.author)")),
      ("objects", .object(objects)),
      ("applied", .object(applied)),
      ("digest", .optional(digest?.description)),
      ("servedByProcess", .optional(service?.processID)),
      ("listening", .optional(service?.listening)),
      ("peers", .array((service?.peers ?? []).map(object(of:)))),
    ])
  }

  private func object(of peer: StoreStatus.Peer) -> JSONText.Value {
    .object([
      ("address", .string(peer.address)),
      ("isConnected", .bool(peer.isConnected)),
      ("replica", .optional(peer.replica)),
      ("behind", .optional(peer.behind)),
      ("lastError", .optional(peer.lastError)),
    ])
  }
}
