import Atoll
import Dispatch
import Foundation

/// The time until observers are called, and the cost of observers that are not concerned.
///
/// Everything is counted from before the commit until the last observer has looked.
final class ObservationRows {
  private let scratch: Scratch
  private let store: Store
  private let queue = DispatchQueue(label: "observers")
  private let objects: Int
  private var writer: Writer?
  private var others = 0

  init(workload: Workload) throws {
    scratch = try Scratch()
    store = try openStore(scratch.file("observed.atoll"))
    try store.insertFlat(workload.clubs, perTransaction: workload.clubs.count)
    objects = workload.clubs.count
  }

  var rows: [Benchmark] {
    [
      row("one changed of all observed objects, to the callback", target: 1) {
        try self.toCallback(self.rename)
      },
      row("the same, the first one after observing has begun", target: 1) {
        try self.toCallback(times: 1, self.rename)
      },
      row("the same of a filter and an order", target: 1) {
        try self.toCallback(self.rename) { $0.where { $0.count >= 0 }.sorted(by: \.count) }
      },
      row("the same where its place in the order changes", target: 1) {
        try self.toCallback(self.recount) { $0.where { $0.count >= 0 }.sorted(by: \.count) }
      },
      row("the same where it goes to another of 1,000 sections by a function", target: 1) {
        try self.toCallback(self.recount, sectioned: { $0.count % 1000 })
      },
      row("the same from another process", target: 5) { try self.toCallback(self.renameElsewhere) },
      row("1,000 observers of queries of another class, a commit", target: 10) {
        try self.pastObservers(self.createOther)
      },
      row("1,000 observers of the class, another property", target: 10) {
        try self.pastObservers(self.rename)
      },
    ]
  }

  private func row(
    _ name: String, target: Double, _ ours: @escaping () throws -> Double
  ) -> Benchmark {
    Benchmark(name: name, peer: "target, ms", target: 1, ours: ours, theirs: { target })
  }

  private func rename() throws {
    try store.write {
      store.object(ofType: FlatClub.self, forPrimaryKey: objects / 2)?.url = UUID().uuidString
    }
  }

  private func recount() throws {
    try store.write {
      let club = store.object(ofType: FlatClub.self, forPrimaryKey: objects / 2)
      club?.count = ((club?.count ?? 0) + objects / 3) % objects
    }
  }

  private func createOther() throws {
    others += 1
    try store.write { store.create(Club.self, value: ["pk": others]) }
  }

  /// The median of several, a moment apart, that one observer is told of.
  private func toCallback(
    times: Int = 21, _ write: () throws -> Void,
    of choice: (Results<FlatClub>) -> Results<FlatClub> = { $0 }
  ) throws -> Double {
    try median(of: times, write) { ready, told in
      choice(store.objects(FlatClub.self)).observe(on: queue) { change in
        if case .initial = change { ready.signal() } else { told.signal() }
      }
    }
  }

  /// The same of an observer of sections.
  private func toCallback(
    _ write: () throws -> Void, sectioned key: @escaping (FlatClub) -> Int
  ) throws -> Double {
    try median(of: 21, write) { ready, told in
      store.objects(FlatClub.self).sectioned(by: key, sortDescriptors: ["count"])
        .observe(on: queue) { change in
          if case .initial = change { ready.signal() } else { told.signal() }
        }
    }
  }

  private func median(
    of times: Int, _ write: () throws -> Void,
    observe: (_ ready: DispatchSemaphore, _ told: DispatchSemaphore) -> NotificationToken
  ) throws -> Double {
    let (ready, told) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let token = observe(ready, told)
    defer { token.invalidate() }
    ready.wait()
    let samples = try (0..<times).map { _ in
      if times > 1 { Thread.sleep(forTimeInterval: 0.05) }
      return try milliseconds {
        try write()
        told.wait()
      }
    }
    return samples.sorted()[times / 2]
  }

  private func pastObservers(_ write: () throws -> Void) throws -> Double {
    let tokens = (0..<1000).map { number in
      store.objects(FlatClub.self).where { $0.count == number }.observe(on: queue) { _ in }
    }
    defer { for token in tokens { token.invalidate() } }
    queue.sync {}
    return try milliseconds {
      try write()
      queue.sync {}
    }
  }
}

// MARK: - Another process

extension ObservationRows {
  /// Lets a process that has the file open write, and does not wait for it to end.
  private func renameElsewhere() throws {
    if writer == nil { writer = try Writer(store.configuration.fileURL) }
    try writer?.write()
  }
}

/// This program once more, which writes to a file whenever it is sent a line.
final class Writer {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ file: URL) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--writes-to", file.path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // It says so once the file is open.
    _ = output.fileHandleForReading.availableData
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func write() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  /// The other process.
  static func run(_ path: String) throws {
    let store = try openStore(URL(fileURLWithPath: path))
    let club = store.objects(FlatClub.self).first
    FileHandle.standardOutput.write(Data("open\n".utf8))
    while readLine() != nil { try store.write { club?.url = UUID().uuidString } }
  }
}
