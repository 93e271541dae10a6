import AtollChanges
import AtollVocabulary

/// Feeds canonical objects to a digest: identity, stamps and persisted bytes of every cell.
///
/// A class, so that the closures of a walk over a file can share it.
final class CanonicalDigest {
  private var digest = ContentDigest()

  func update(_ object: CanonicalObject, of entry: ClassEntry) {
    begin(entry, object.key, object.generation)
    update(object.cells)
  }

  func update(tombstone key: PersistedValue, _ generation: Generation, of entry: ClassEntry) {
    begin(entry, key, generation)
  }

  /// The digest of one cell alone; what was fed before is forgotten.
  func value(of cell: CanonicalObject.Cell) -> ChainHash {
    _ = finish()
    update(cell)
    return finish()
  }

  /// The digest of all so far; the next starts empty.
  func finish() -> ChainHash {
    var finished = ContentDigest()
    swap(&finished, &digest)
    return finished.finish()
  }

  private func begin(_ entry: ClassEntry, _ key: PersistedValue, _ generation: Generation) {
    digest.update(entry.name)
    digest.update([entry.keyType.rawValue])
    digest.update(key)
    digest.update(UInt64(generation.rawValue))
  }

  private func update(_ cells: [CanonicalObject.Cell]) {
    digest.update(UInt64(cells.count))
    for cell in cells { update(cell) }
  }

  private func update(_ cell: CanonicalObject.Cell) {
    digest.update(cell.property.name)
    digest.update([cell.property.type.rawValue, cell.property.collection.rawValue])
    if let target = cell.target {
      digest.update(target.name)
      digest.update([target.keyType.rawValue])
    }
    update(cell.order)
    digest.update(UInt64(bitPattern: cell.steps))
    // The type that the declared one leaves open comes first.
    if cell.property.type == .any, cell.order != nil { update(kindOf: cell.content) }
    update(cell.content)
  }

  private func update(kindOf content: CanonicalObject.Content) {
    switch content {
    case .scalar: digest.update([0])
    case .link(let target, _, _, _):
      digest.update([1])
      digest.update(target.name)
      digest.update([target.keyType.rawValue])
    case .embedded: digest.update([2])
    case .list: digest.update([3])
    case .set: digest.update([4])
    case .map: digest.update([5])
    }
  }

  private func update(_ content: CanonicalObject.Content) {
    switch content {
    case .scalar(let value): digest.update(value)
    case .link(_, let key, let generation, _):
      digest.update(key)
      digest.update(UInt64(generation.rawValue))
    case .embedded(let cells):
      digest.update([cells == nil ? 0 : 1])
      if let cells { update(cells) }
    case .list(let elements):
      digest.update(UInt64(elements.count))
      for element in elements { update(element) }
    case .set(let members):
      digest.update(UInt64(members.count))
      for member in members {
        update(member.order)
        digest.update([member.isHeld ? 1 : 0])
        update(kindOf: member.content)
        update(member.content)
      }
    case .map(let entries):
      digest.update(UInt64(entries.count))
      for entry in entries {
        digest.update(entry.key)
        update(entry.order)
        digest.update([entry.value == nil ? 0 : 1])
        if let value = entry.value { update(value) }
      }
    }
  }

  private func update(_ element: CanonicalObject.Element) {
    update(element.identity.author)
    digest.update(element.identity.sequence.rawValue)
    digest.update(UInt64(element.identity.index))
    digest.update(UInt64(element.position.bytes.count))
    digest.update(element.position.bytes)
    update(element.positionOrder)
    update(element.value)
  }

  private func update(_ order: RegisterStamp?) {
    guard let order else { return digest.update([0]) }
    digest.update([order.isAssigned ? 2 : 1])
    digest.update(order.stamp.time.rawValue)
    update(order.stamp.author)
    digest.update(UInt64(order.stamp.index))
  }

  /// Its twenty-four bytes, or thirty-two with a branch.
  private func update(_ author: Author) {
    digest.update(author.replica.high)
    digest.update(author.replica.low)
    digest.update(author.incarnation.rawValue)
    if author.branch != .none { digest.update(author.branch.rawValue) }
  }
}
