package import AtollVocabulary

/// One record of a snapshot; `protocol/snapshot.md` has the order and the bytes.
package enum SnapshotRecord: Hashable, Sendable {
  /// The first.
  case head(SnapshotHead)
  /// A live object, or an element of a list, set or map, removed ones included.
  case row(SnapshotRow)
  /// An object that was deleted: its even number.
  case tombstone(class: UInt32, key: PersistedValue, generation: Generation)
  /// A generation that is over or not known yet, and that links name by this number.
  case placeholder(class: UInt32, id: UInt64, key: PersistedValue, generation: Generation)
  /// The last: how many records came before.
  case end(count: UInt64)
}

/// A row and its cells, as the sender has them.
package struct SnapshotRow: Hashable, Sendable {
  package var table: UInt32
  /// The number by which links and elements name it, within this snapshot.
  package var id: UInt64
  package var subject: Subject
  /// The create's stamp, or the insert's, which names a list's element.
  package var stamp: Stamp
  package var cells: [Cell]

  package init(
    table: UInt32, id: UInt64, subject: Subject, stamp: Stamp, cells: [Cell] = []
  ) {
    self.table = table
    self.id = id
    self.subject = subject
    self.stamp = stamp
    self.cells = cells
  }

  /// A stamp whose author is a number of the head.
  package struct Stamp: Hashable, Sendable {
    package var time: UInt64
    package var author: UInt32
    package var index: UInt32

    package init(time: UInt64, author: UInt32, index: UInt32) {
      self.time = time
      self.author = author
      self.index = index
    }
  }

  package enum Subject: Hashable, Sendable {
    case object(key: PersistedValue, generation: Generation)
    case element(Element)
  }

  package struct Element: Hashable, Sendable {
    /// The row whose cell holds it, of the table around this one, or of this one itself.
    package var owner: UInt64
    package var isInside: Bool
    package var sequence: SequenceNumber
    package var isRemoved: Bool
    package var place: Place

    package init(
      owner: UInt64, isInside: Bool, sequence: SequenceNumber, isRemoved: Bool, place: Place
    ) {
      self.owner = owner
      self.isInside = isInside
      self.sequence = sequence
      self.isRemoved = isRemoved
      self.place = place
    }
  }

  package enum Place: Hashable, Sendable {
    case member
    /// A position key's bytes, and the stamp of the move that led there, if one did.
    case listed([UInt8], moved: Stamp?)
    case entry(String)
  }

  /// The contents of one node of the row.
  package struct Cell: Hashable, Sendable {
    package var node: UInt32
    /// Written with the row, or with the slot around it; then whether that was an assignment.
    package var isRecorded: Bool
    package var isAssigned: Bool
    package var apart: Apart?
    package var content: Content

    package init(
      node: UInt32, isRecorded: Bool, isAssigned: Bool, apart: Apart?, content: Content
    ) {
      self.node = node
      self.isRecorded = isRecorded
      self.isAssigned = isAssigned
      self.apart = apart
      self.content = content
    }
  }

  /// A write to one cell since the row was made.
  package struct Apart: Hashable, Sendable {
    package var stamp: Stamp?
    package var isAssigned: Bool
    /// The sum of the counter steps made on a default.
    package var steps: Int64
    /// True if any step was made on the value.
    package var hasSteps: Bool

    package init(stamp: Stamp?, isAssigned: Bool, steps: Int64, hasSteps: Bool) {
      self.stamp = stamp
      self.isAssigned = isAssigned
      self.steps = steps
      self.hasSteps = hasSteps
    }
  }

  package enum Content: Hashable, Sendable {
    case scalar(PersistedValue)
    /// The object or placeholder of this number, of a class of the head.
    case link(class: UInt32, id: UInt64)
    /// An embedded object is there; its fields are cells of their own.
    case embedded
    /// A list or map in an any-typed slot.
    case collection(CollectionKind)
  }
}
