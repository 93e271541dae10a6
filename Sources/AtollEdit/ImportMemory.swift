import AtollVocabulary

/// The objects that an import has met, where files give one object several times: in the array of
/// its class, and in full wherever a link leads to it.
struct ImportMemory {
  /// Objects that only links have named so far.
  var awaited: Set<ObjectName> = []
  /// Objects that were written, with a hash of what was.
  private var written: [ObjectName: Int] = [:]

  /// Remembers an object that was made for a link, unless the files have given it before.
  ///
  /// - Throws: `Importer.Problem` if there are too many.
  mutating func await(_ name: ObjectName) throws {
    // A dry run takes objects back, and meets them again.
    guard written[name] == nil else { return }
    guard awaited.count < Limits.importObjects else {
      throw Importer.Problem(
        text:
          "links lead to more than \(Limits.importObjects) objects that have not come yet; import "
          + "the files of their classes first")
    }
    awaited.insert(name)
  }

  /// Tells whether an object was written with the same members before; remembers it if not.
  ///
  /// Beyond `Limits.importObjects` objects are written each time that they come.
  mutating func isRepeated(_ name: ObjectName, _ members: [JSONValue.Member]) -> Bool {
    let hash = members.hashValue
    guard written[name] != hash else { return true }
    if written.count < Limits.importObjects || written[name] != nil { written[name] = hash }
    return false
  }

  mutating func forget(_ name: ObjectName) {
    awaited.remove(name)
    written[name] = nil
  }
}
