import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The log below a snapshot: what comes after the objects, and makes of its taker a source for others.
@Suite struct `backlogs` {
  @Test(arguments: (1...12).map { UInt64($0) })
  func `a file that began with a snapshot comes to have the log of who gave it`(
    seed: UInt64
  ) throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<30 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    try stores[0].file.makeSnapshot()
    let late = try TestStore("late")
    if seed.isMultiple(of: 2) { try late.create(7) }
    try late.takeSnapshot(of: stores[0])
    #expect(try !late.file.logBeginning().floor.entries.isEmpty)
    // Both go on meanwhile.
    for store in stores { try writer.write(store) }
    try late.create(8)
    for store in stores { try store.send(to: late) }
    #expect(try late.takeBacklog(of: stores[0]) == nil)
    #expect(try late.file.logBeginning().floor.entries.isEmpty)
    #expect(try late.file.logBeginning().missing == nil)
    #expect(try late.file.verify() == [], "seed \(seed)")
    // It gives everything, from the beginning and in an order that can be applied.
    let other = try TestStore("other")
    try late.send(to: other)
    #expect(try other.exported() == late.exported(), "seed \(seed)")
    #expect(try other.file.verify() == [], "seed \(seed)")
  }

  @Test func `two files with snapshots of which neither has the other's come out alike`() throws {
    let givers = try ["a", "b"].map { try TestStore($0) }
    let takers = try ["c", "d"].map { try TestStore($0) }
    for (place, giver) in givers.enumerated() {
      try giver.create(Int64(place))
      try giver.file.makeSnapshot()
      try takers[place].takeSnapshot(of: giver)
      #expect(try takers[place].takeBacklog(of: giver) == nil)
      try takers[place].create(Int64(10 + place))
    }
    // The givers are gone.
    try takers[0].send(to: takers[1])
    try takers[1].send(to: takers[0])
    #expect(try takers[0].exported() == takers[1].exported())
    for taker in takers { #expect(try taker.file.verify() == []) }
    // And whoever has gaps in its log can still begin with a snapshot of another.
    try takers[1].file.makeSnapshot()
    let last = try TestStore("last")
    try last.takeSnapshot(of: givers[0])
    #expect(try last.takeBacklog(of: givers[0]) == nil)
    try last.create(20)
    try last.takeSnapshot(of: takers[1])
    #expect(try last.takeBacklog(of: takers[1]) == nil)
    try last.send(to: takers[0])
    #expect(try last.exported() == takers[0].exported())
    #expect(try last.file.verify() == [])
  }

  @Test func `a changeset too large for a frame comes in parts, and anew after a restart`() throws {
    let source = try TestStore("source")
    try source.write { store in
      for key in 1...20 {
        let data = [UInt8](repeating: UInt8(key), count: 64 << 10)
        _ = try store.file.create(
          store["Document"].id, key: .int(Int64(key)),
          fields: [NewField(store.property("Document", "d")[0], .scalar(.data(data)))])
      }
    }
    try source.file.makeSnapshot()
    let late = try TestStore("late")
    try late.takeSnapshot(of: source)
    var cutting: LogEntry?
    let first = try #require(try late.file.logBeginning().missing)
    let answer = try source.file.backlog(first, cutting: &cutting)
    #expect(answer.parts.map(\.bytes.count) == [Limits.batchBytes] && cutting != nil)
    #expect(try late.file.keep(answer) == nil)
    #expect(try late.file.logBeginning().missing?.part?.received == Limits.batchBytes)
    // Twice the same does no harm, and neither does another process that knows of no part.
    #expect(try late.file.keep(answer) == nil)
    let again = try StoreFile.open(late.path, options: StoreOptions(storeID: late.file.storeID))
    #expect(try again.logBeginning().missing == first)
    again.close()
    #expect(try late.takeBacklog(of: source) == nil)
    #expect(try late.file.logBeginning().floor.entries.isEmpty)
    #expect(try late.file.verify() == [])
  }

  @Test func `what does not lead to the snapshot is thrown away, and comes from another`() throws {
    let source = try TestStore("source")
    for key in 1...5 { try source.create(Int64(key)) }
    try source.file.makeSnapshot()
    let late = try TestStore("late")
    try late.takeSnapshot(of: source)
    let request = try #require(try late.file.logBeginning().missing)
    var cutting: LogEntry?
    var answer = try source.file.backlog(request, cutting: &cutting)
    #expect(answer.parts.count > 2)
    answer.parts[2].bytes[4] ^= 1
    #expect(try late.file.keep(answer)?.contains("does not lead to") == true)
    // Nothing of it is left, and what leaves a hole is not taken either.
    #expect(try late.file.logBeginning().missing == request)
    answer = try source.file.backlog(request, cutting: &cutting)
    answer.parts.removeFirst()
    #expect(try late.file.keep(answer)?.contains("does not follow") == true)
    #expect(try late.takeBacklog(of: source) == nil)
    #expect(try late.file.verify() == [])
  }

  @Test func `who waits for the log itself gives none of it`() throws {
    let source = try TestStore("source")
    try source.create(1)
    try source.file.makeSnapshot()
    let takers = try ["c", "d"].map { try TestStore($0) }
    for taker in takers { try taker.takeSnapshot(of: source) }
    #expect(try takers[0].takeBacklog(of: takers[1]) == .waiting)
    #expect(try takers[1].takeBacklog(of: source) == nil)
    #expect(try takers[0].takeBacklog(of: takers[1]) == nil)
  }
}

extension TestStore {
  /// Asks until nothing is missing; the state of the answer that brought nothing, if one did.
  func takeBacklog(of other: TestStore) throws -> Backlog.State? {
    var cutting: LogEntry?
    while let request = try file.logBeginning().missing {
      let answer = try other.file.backlog(request, cutting: &cutting)
      if let refusal = try file.keep(answer) { throw TestFailure(refusal) }
      guard answer.state == .more else {
        return try file.logBeginning().missing == nil ? nil : answer.state
      }
    }
    return nil
  }
}
