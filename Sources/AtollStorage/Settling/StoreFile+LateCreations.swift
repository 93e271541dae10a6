import AtollChanges
import AtollSQLite
import AtollVocabulary

/// A create that came late of somebody who has not written it again.
struct LateCreation {
  let record: AuthorRecord
  let operation: Operation
}

// Two may have written upon each other's late changesets in turn. Whoever writes its own again first
// would find nothing of what the other has made, and leave out what it wrote there. So it makes these
// objects itself, with nothing assigned: creating is joined with the maker's own create, whenever that
// comes.
extension StoreFile {
  /// What others have made, and not made again yet, of that in which some changesets write.
  func lateCreations(
    neededBy record: AuthorRecord, _ range: ClosedRange<SequenceNumber>
  ) throws -> [LateCreation] {
    var needed = try objectsLacked(by: record, range)
    guard !needed.isEmpty else { return [] }
    var creations: [LateCreation] = []
    for other in authors.records where other.author.replica != author.replica {
      for late in other.lateRanges {
        let log = try connection.prepare(
          """
          SELECT bytes FROM atoll_log WHERE author = ? AND sequence BETWEEN ? AND ? ORDER BY sequence
          """)
        log.bind(other.number, at: 1)
        log.bind(Int64(clamping: late.lowerBound.rawValue), at: 2)
        log.bind(Int64(clamping: late.upperBound.rawValue), at: 3)
        while try log.step() {
          var reader = try ChangesetReader(log.bytes(at: 0), author: other.author)
          while let operation = try reader.next() {
            guard case .create(let object, let fields) = operation,
              let id = other.classID(object.class),
              needed.remove(NeededObject(class: id, key: object.key, life: object.life)) != nil
            else { continue }
            creations.append(
              LateCreation(record: other, operation: .create(object, fields.filter(\.isPlain))))
          }
        }
      }
    }
    return creations
  }

  /// Writes them into a changeset, under its author's numbers.
  func add(_ creations: [LateCreation], to changeset: inout Changeset) throws {
    for creation in creations {
      var table = DeclarationTable(author: changeset.author)
      try table.adopt(changeset.declarations)
      var declaring = Redeclaration(of: creation.record.declarations, into: table)
      changeset.operations.append(try creation.operation.transformed(by: &declaring))
      changeset.declarations += declaring.fresh
    }
  }

  private struct NeededObject: Hashable {
    var `class`: ClassID
    var key: PersistedValue
    var life: Life
  }

  /// The objects with declared keys in which changesets write, that they do not make, and that are not here.
  private func objectsLacked(
    by record: AuthorRecord, _ range: ClosedRange<SequenceNumber>
  ) throws -> Set<NeededObject> {
    var lacked: Set<NeededObject> = []
    var made: Set<NeededObject> = []
    for number in range.lowerBound.rawValue...range.upperBound.rawValue {
      guard let logged = try logged(record, SequenceNumber(number)) else { continue }
      var reader = try ChangesetReader(logged.bytes, author: record.author)
      while let operation = try reader.next() {
        guard let object = operation.object, let id = record.classID(object.class) else { continue }
        let needed = NeededObject(class: id, key: object.key, life: object.life)
        let entry = try entry(id)
        switch operation {
        case .create: made.insert(needed)
        case .delete: break
        default:
          guard entry.keyType != .identity, !made.contains(needed), !lacked.contains(needed),
            try alive(entry, object.key) == nil, try deadLife(entry, object.key) < object.life
          else { continue }
          lacked.insert(needed)
        }
      }
    }
    return lacked
  }
}

extension CreatedField {
  /// Whether it is a default that stands for itself.
  fileprivate var isPlain: Bool {
    if case .scalar = value { !isAssigned } else { false }
  }
}
