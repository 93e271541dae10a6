import Foundation

/// Rows that need modules below the client library, measured by `atoll-cluster measure`.
///
/// That command does the work with release code of the product and prints one JSON object with
/// milliseconds; the peers' sides run here.
struct ReplicationRows {
  let cluster: URL
  let workload: Workload
  let rounds: Int

  var apply: Benchmark {
    let creates = 1000
    let clubs = Array(workload.clubs.prefix(100 * creates))
    let session = Result { try SessionExtension(clubs, creates: creates) }
    return Benchmark(
      name: "apply 100 changesets of 1,000 creates", peer: "SQLite session extension",
      target: 1.5,
      ours: {
        try measure([
          "apply", "--changesets", "\(clubs.count / creates)", "--creates", "\(creates)",
        ])["apply"] ?? .nan
      },
      theirs: { try session.get().apply() })
  }

  /// The first walk of a process, of which every round starts another.
  var discovery: Benchmark {
    Benchmark(
      name: "model classes found, first time in a process", peer: "target, ms", target: 1,
      ours: { try measure(["discovery"])["discovery"] ?? .nan }, theirs: { 2 })
  }

  /// Two daemons on loopback, both durable, against the targets in milliseconds, and against two
  /// PostgreSQL clusters in turns with them where that is installed.
  func measureLinks() throws -> [Figures] {
    let rows: [(key: String, name: String, target: Double)] = [
      ("bulk", "100,000 objects in one transaction, until visible at B", 900),
      ("stream", "5,000 single-object transactions, until visible at B", 1000),
      ("update", "one update, from commit at A to visible at B", 1.0),
    ]
    let peer = try PostgreSQL.tools(version: 15).map(PostgreSQL.init)
    defer { peer?.stop() }
    var ours: [String: [Double]] = [:]
    var theirs: [String: [Double]] = [:]
    for _ in 0..<rounds {
      for (key, value) in try measure(["links"]) { ours[key, default: []].append(value) }
      guard let peer else { continue }
      theirs["bulk", default: []].append(try peer.bulk(rows: 100_000))
      theirs["stream", default: []].append(try peer.stream(transactions: 5000))
      theirs["update", default: []].append(try peer.update(times: 101))
    }
    return rows.flatMap { row in
      let figure = median(ours[row.key] ?? [.nan])
      let target = Figures(
        name: row.name, peer: "target, ms", target: 1, ours: figure, theirs: row.target)
      let compared = theirs[row.key].map { samples in
        Figures(
          name: row.name, peer: "PostgreSQL 15", target: nil, ours: figure,
          theirs: median(samples))
      }
      return [target, compared].compactMap { $0 }
    }
  }

  /// The same link with TLS, in both directions proved.
  func measureSecuredLinks() throws -> [Figures] {
    let samples = try samples("links", "--tls")
    return [
      Figures(
        name: "one update, from commit at A to visible at B, with TLS", peer: "target, ms",
        target: 1, ours: median(samples["update"] ?? [.nan]), theirs: 1.3),
      Figures(
        name: "5,000 single-object transactions, until visible at B, with TLS", peer: "target, ms",
        target: 1, ours: median(samples["stream"] ?? [.nan]), theirs: 1000),
    ]
  }

  /// A daemon that applies what it was not there for: what an application beside it waits for, once,
  /// and the memory that it takes.
  func measureCatchingUp() throws -> [Figures] {
    let many = try measure(["catching-up"])
    let few = try samples("catching-up", "--objects", "100000")
    let newcomer = try measure(["newcomer"])
    let idle = try measure(["idle"])
    let live = try measure(["live"])
    return [
      Figures(
        name: "a local write while 1,000,000 objects are applied, 99th of 100",
        peer: "target, ms", target: 1, ours: many["write"] ?? .nan, theirs: 50),
      Figures(
        name: "two nodes with the same 1,000,000 objects, until they know it", peer: "target, ms",
        target: 1, ours: many["reconnection"] ?? .nan, theirs: 50),
      Figures(
        name: "a new replica begins with 1,000,000 objects", peer: "target, ms", target: 1,
        ours: newcomer["newcomer"] ?? .nan, theirs: 10_000),
      Figures(
        name: "memory of a daemon that applied 100,000 objects", peer: "target, MiB", target: 1,
        ours: median(few["memory"] ?? [.nan]), theirs: 60),
      Figures(
        name: "a write past a catch-up of 1 GiB on its link, median", peer: "target, ms", target: 1,
        ours: live["median"] ?? .nan, theirs: 100),
      Figures(
        name: "memory of a daemon with five stores and 5,000 idle peers", peer: "target, MiB",
        target: 1, ours: idle["memory"] ?? .nan, theirs: 200),
    ]
  }

  /// Two replicas that edited one thing apart, merged durably: against the target, and ten times as
  /// many edits against ten times their time.
  func measureMerges() throws -> [Figures] {
    let things: [(key: String, name: String, target: Double?)] = [
      ("list", "appends to one list", 100), ("counter", "increments of one counter", 100),
      ("set", "members of one set", nil), ("links", "links to one object", nil),
    ]
    let few = try samples("merge", "--edits", "10000")
    let many = try samples("merge", "--edits", "100000")
    return things.flatMap { thing -> [Figures] in
      let (one, ten) = (median(few[thing.key] ?? [.nan]), median(many[thing.key] ?? [.nan]))
      let absolute = thing.target.map {
        Figures(
          name: "merge 10,000 into 10,000 \(thing.name)", peer: "target, ms", target: 1, ours: one,
          theirs: $0)
      }
      let linear = Figures(
        name: "merge 100,000 into 100,000 \(thing.name)", peer: "10 × of 10,000", target: 1.5,
        ours: ten, theirs: 10 * one)
      return [absolute, linear].compactMap { $0 }
    }
  }

  /// Transactions of one change each that conflict with as many at the receiver, durably: eight times as many
  /// against eight times their time; and changes of many replicas, twice as many against twice.
  func measureReceiving() throws -> [Figures] {
    let kinds = [("mix", "cells of every kind"), ("step", "steps on an assigned counter")]
    let conflicts = try kinds.map { kind, name in
      let few = try samples("conflicts", "--only", kind, "--transactions", "1000")
      let many = try samples("conflicts", "--only", kind, "--transactions", "8000")
      return Figures(
        name: "receive 8,000 transactions that conflict, \(name)", peer: "8 × of 1,000",
        target: 1.2, ours: median(many[kind] ?? [.nan]), theirs: 8 * median(few[kind] ?? [.nan]))
    }
    let flags: [([String], String)] = [([], "apart"), (["--conflicting"], "the same objects")]
    return try conflicts
      + flags.map { flags, name in
        let few = try samples(["authors", "--authors", "100", "--transactions", "10"] + flags)
        let many = try samples(["authors", "--authors", "200", "--transactions", "10"] + flags)
        return Figures(
          name: "receive 10 transactions of each of 200 replicas, \(name)", peer: "2 × of 100",
          target: 1.1, ours: median(many["authors"] ?? [.nan]),
          theirs: 2 * median(few["authors"] ?? [.nan]))
      }
  }

  /// Bytes, not milliseconds: a thousand small edits in one frame, a transaction each.
  func measureWire() throws -> Figures {
    Figures(
      name: "bytes on the wire for a small edit in a batch", peer: "target, bytes", target: 1,
      ours: median(try samples("wire")["bytes"] ?? [.nan]), theirs: 40)
  }

  private func samples(_ arguments: String...) throws -> [String: [Double]] {
    try samples(arguments)
  }

  private func samples(_ arguments: [String]) throws -> [String: [Double]] {
    var samples: [String: [Double]] = [:]
    for _ in 0..<rounds {
      for (key, value) in try measure(arguments) { samples[key, default: []].append(value) }
    }
    return samples
  }

  private func measure(_ arguments: [String]) throws -> [String: Double] {
    let process = Process()
    process.executableURL = cluster
    process.arguments = ["measure"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RawSQLiteError(
        description: "\(cluster.path) measure \(arguments): status \(process.terminationStatus)")
    }
    return try JSONDecoder().decode([String: Double].self, from: data)
  }
}
