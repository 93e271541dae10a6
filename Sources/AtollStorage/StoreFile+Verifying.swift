import AtollChanges
import AtollSQLite
import AtollVocabulary

// Checking the file against its log: chains, vector, and every object rebuilt; and looking for rows
// that belong to none.
extension StoreFile {
  /// Returns the faults of the file, one sentence each; empty if there are none.
  ///
  /// Rebuilds every object from the log in memory, so it takes as long as applying all of it.
  package func verify() throws(StorageError) -> [String] {
    try doing("verifying the file") {
      try snapshot {
        var findings = try connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }
        do {
          try compareAll(&findings)
        } catch {
          // The damage is reported already, and stops the rest.
          guard !findings.isEmpty else { throw error }
          findings.append(
            "\(StorageError(error, path: path, doing: "comparing the objects with the log"))")
        }
        return findings
      }
    }
  }

  private func compareAll(_ findings: inout [String]) throws {
    let rebuilt = try makeEmpty()
    defer { rebuilt.close() }
    try rebuilt.copyCheckpoint(of: self)
    try nameBranches(in: rebuilt)
    rebuilt.incoming.supersededInOriginal = supersededRanges
    try replay(into: rebuilt, &findings)
    try checkHeads(against: rebuilt, &findings)
    try compareObjects(with: rebuilt, &findings)
    try compareDigests(with: rebuilt, &findings)
    findings += try tables.orphans()
    findings += try tables.checkSearchIndexes()
  }

  /// The faults of the pages of the file, at most a few sentences; reads all of them.
  package func pageFindings() throws(StorageError) -> [String] {
    try doing("checking the pages of the file") {
      try connection.texts("PRAGMA quick_check(\(Self.findingsBound))").filter { $0 != "ok" }
    }
  }

  /// A file to apply the log to, gone when it is closed; some of it is in memory, never all.
  ///
  /// It has this one's schema from the start where that can be made anew, since tables that grow with
  /// the log, column by column, take longer than all the rest.
  func makeEmpty() throws -> StoreFile {
    let options = StoreOptions(
      storeID: storeID, wallClock: { WallTime(milliseconds: Int64.max) })
    var file = try StoreFile.open(StoreFile.temporary, options: options)
    do {
      try file.adopt(schemaOf: catalog)
    } catch {
      // The schema is damaged; the log may not be.
      file.close()
      file = try StoreFile.open(StoreFile.temporary, options: options)
    }
    file.tables.ledger.isKept = false
    return file
  }

  /// Applies the log in local order, each entry against the hash that stands beside it; without what
  /// is deferred.
  private func replay(into rebuilt: StoreFile, _ findings: inout [String]) throws {
    try replay(into: rebuilt, upTo: try appliedVector(), isChecked: false) { entry, outcome in
      var problem = "\(outcome)"
      if case .detached = outcome { problem = "the chain is broken" }
      findings.append(
        "log entry \(entry.position), changeset \(entry.id.sequence) of "
          + "\(entry.id.author.shortDescription), does not apply: \(problem)")
      return findings.count <= Self.findingsBound
    }
  }

  private func checkHeads(against rebuilt: StoreFile, _ findings: inout [String]) throws {
    let heads = try heads()
    let expected = try rebuilt.heads()
    for head in heads where !expected.contains(head) {
      findings.append(
        "the head of \(head.author.shortDescription) is changeset \(head.sequence), "
          + "\(head.hash.shortDescription); the log does not lead there")
    }
    for head in expected where !heads.contains(where: { $0.author == head.author }) {
      findings.append("the log has changesets of \(head.author.shortDescription), no head names it")
    }
  }

  private func compareObjects(with rebuilt: StoreFile, _ findings: inout [String]) throws {
    let here = try objectDigests()
    let there = try rebuilt.snapshot { try rebuilt.objectDigests() }
    let different = here.filter { name, digest in there[name].map { $0 != digest } ?? false }
      .keys.sorted().prefix(Self.findingsBound)
    let ours = try objects(named: Set(different))
    let theirs = try rebuilt.snapshot { try rebuilt.objects(named: Set(different)) }
    for name in here.keys.sorted() {
      guard findings.count <= Self.findingsBound else { return }
      if there[name] == nil { findings.append("\(name) is in the file and not in the log") }
      guard let ours = ours[name], let theirs = theirs[name] else { continue }
      findings.append(Self.sentence(name, ours, theirs))
    }
    for name in there.keys.sorted() where here[name] == nil {
      guard findings.count <= Self.findingsBound else { return }
      findings.append("\(name) is in the log and not in the file")
    }
  }

  /// Compares the digests that were kept up with the rows, and with the log; the latter also shows
  /// removed rows.
  private func compareDigests(with rebuilt: StoreFile, _ findings: inout [String]) throws {
    for (stored, kept, found) in try checkDigests() {
      findings.append(
        "the rows of \(stored.name) have the digest \(found), what was written makes \(kept): "
          + "they were modified externally")
    }
    let (kept, expected) = (try stateDigest(), try rebuilt.stateDigest())
    if findings.isEmpty, kept != expected {
      findings.append("the digest is \(kept), and \(expected) by what the log says")
    }
  }

  /// `Club 42 differs from what the log says: name, place.latitude`.
  private static func sentence(
    _ name: String, _ ours: CanonicalObject, _ theirs: CanonicalObject
  ) -> String {
    let places =
      ours.generation == theirs.generation
      ? ours.properties(differingFrom: theirs) : ["how often it was created and deleted"]
    return "\(name) differs from what the log says: \(places.joined(separator: ", "))"
  }

  private func objects(named names: Set<String>) throws -> [String: CanonicalObject] {
    guard !names.isEmpty else { return [:] }
    let reader = CanonicalReader(tables: tables)
    var objects: [String: CanonicalObject] = [:]
    for entry in reader.classes {
      try reader.forEach(of: entry) { object in
        let name = "\(entry.name) \(object.key)"
        if names.contains(name) { objects[name] = object }
      }
    }
    return objects
  }

  private func objectDigests() throws -> [String: ChainHash] {
    let reader = CanonicalReader(tables: tables)
    var digests: [String: ChainHash] = [:]
    for entry in reader.classes {
      try reader.forEach(of: entry) { object in
        let digest = CanonicalDigest()
        digest.update(object, of: entry)
        digests["\(entry.name) \(object.key)"] = digest.finish()
      }
    }
    return digests
  }

  /// Findings after which looking for more is pointless.
  private static let findingsBound = 100
}
