import AtollVocabulary

/// A stamp with its author as the file's small number.
struct LocalStamp: Hashable {
  var time: UInt64
  /// Author's number in the upper half, index in the changeset in the lower.
  var mark: UInt64

  init(time: UInt64, mark: UInt64) {
    self.time = time
    self.mark = mark
  }

  init(time: HybridTime, author: Int64, index: UInt32) {
    self.init(time: time.rawValue, mark: UInt64(truncatingIfNeeded: author) << 32 | UInt64(index))
  }

  var author: Int64 { Int64(mark >> 32) }
  var index: UInt32 { UInt32(truncatingIfNeeded: mark) }
}

/// The order that decides whether a later write replaces a register's value.
struct CellStamp: Hashable {
  var isAssigned: Bool
  var stamp: LocalStamp
}

extension CellStamp {
  /// The column value of a slot for an embedded object that came with its row.
  static let firstInstance: Int64 = 1

  /// The column value of a slot for one that came later: never 0, and another number for another
  /// stamp, so that the holder of an accessor sees that the object was replaced.
  var instance: Int64 {
    let mixed = Int64(bitPattern: stamp.time ^ (stamp.mark &* 0x9E37_79B9_7F4A_7C15))
    return mixed == 0 || mixed == Self.firstInstance ? -1 : mixed
  }

  /// The same for a cell of a row that was made as `row` says.
  func instance(in row: RowState) -> Int64 {
    stamp == row.base ? Self.firstInstance : instance
  }
}

/// The stamps of one row: one for all its cells, two masks, and what was written apart since.
///
/// ```
///  _time, _mark    the create's stamp, or the insert's, for every cell not listed in `_stamps`
///  _recorded       bit n: column n has a cell
///  _assigned       bit n: it was assigned, not left to the model's default
///  _stamps         NULL, or the cells written apart (and every cell from column 64 on)
/// ```
/// A field of a to-one embedded object that is not listed takes the stamp of the slot around it.
struct RowState {
  struct Exception {
    var ordinal: Int
    /// Nil if only ``steps`` are apart.
    var stamp: CellStamp?
    /// The sum of the counter steps made on a default.
    var steps: Int64 = 0
    /// True if any step was made on the value; only the conflict ledger asks.
    var hasSteps = false
  }

  var base: LocalStamp
  var assigned: UInt64
  var recorded: UInt64
  /// In no order; a row has few.
  var exceptions: [Exception] = []

  /// The place of an element's position register in the list.
  static let position = 0xFFFF

  init(base: LocalStamp, assigned: UInt64 = 0, recorded: UInt64 = 0) {
    self.base = base
    self.assigned = assigned
    self.recorded = recorded
  }

  /// The order of a cell; nil while it has none.
  func order(of node: FieldNode) -> CellStamp? {
    if let stamp = exception(node.ordinal)?.stamp { return stamp }
    guard recorded & node.bit != 0 else { return nil }
    if let parent = node.parent { return order(of: parent) }
    return CellStamp(isAssigned: assigned & node.bit != 0, stamp: base)
  }

  /// The order of an element's position.
  var positionOrder: CellStamp {
    exception(Self.position)?.stamp ?? CellStamp(isAssigned: true, stamp: base)
  }

  func steps(of node: FieldNode) -> Int64 { exception(node.ordinal)?.steps ?? 0 }

  func hasSteps(of node: FieldNode) -> Bool { exception(node.ordinal)?.hasSteps ?? false }

  func exception(_ ordinal: Int) -> Exception? {
    exceptions.first { $0.ordinal == ordinal }
  }

  /// Writes a cell's stamp apart.
  mutating func setOrder(_ stamp: CellStamp, at ordinal: Int, steps: Int64) {
    let exception = Exception(
      ordinal: ordinal, stamp: stamp, steps: steps, hasSteps: steps != 0)
    if let index = exceptions.firstIndex(where: { $0.ordinal == ordinal }) {
      exceptions[index] = exception
    } else {
      exceptions.append(exception)
    }
  }

  /// Remembers that a step was made on a cell's value, and what all steps on a default come to.
  mutating func setSteps(_ steps: Int64, at ordinal: Int) {
    if let index = exceptions.firstIndex(where: { $0.ordinal == ordinal }) {
      exceptions[index].steps = steps
      exceptions[index].hasSteps = true
    } else {
      exceptions.append(Exception(ordinal: ordinal, stamp: nil, steps: steps, hasSteps: true))
    }
  }

  mutating func removeException(_ ordinal: Int) {
    exceptions.removeAll { $0.ordinal == ordinal }
  }
}

// MARK: - Bytes

// `_stamps`: for each cell written apart, ordinal (2 bytes), flags (1: stamp, 2: assigned,
// 4: steps, 8: steps were made), then time and mark (8 each) if flag 1, and steps (8) if flag 4; all big-endian.
extension RowState {
  var exceptionBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(exceptions.count * 27)
    for exception in exceptions {
      bytes.append(UInt8(truncatingIfNeeded: exception.ordinal >> 8))
      bytes.append(UInt8(truncatingIfNeeded: exception.ordinal))
      let flags =
        (exception.stamp == nil ? 0 : 1) | (exception.stamp?.isAssigned == true ? 2 : 0)
        | (exception.steps == 0 ? 0 : 4) | (exception.hasSteps ? 8 : 0)
      bytes.append(UInt8(flags))
      if let stamp = exception.stamp {
        bytes.append(word: stamp.stamp.time)
        bytes.append(word: stamp.stamp.mark)
      }
      if exception.steps != 0 { bytes.append(word: UInt64(bitPattern: exception.steps)) }
    }
    return bytes
  }

  /// Reads what ``exceptionBytes`` wrote; what is cut off at the end is left out.
  static func exceptions(_ bytes: [UInt8]) -> [Exception] {
    var exceptions: [Exception] = []
    var reader = WordReader(bytes)
    while let high = reader.byte(), let low = reader.byte(), let flags = reader.byte() {
      var exception = Exception(ordinal: Int(high) << 8 | Int(low), stamp: nil)
      if flags & 1 != 0 {
        guard let time = reader.word(), let mark = reader.word() else { break }
        exception.stamp = CellStamp(
          isAssigned: flags & 2 != 0, stamp: LocalStamp(time: time, mark: mark))
      }
      if flags & 4 != 0 {
        guard let steps = reader.word() else { break }
        exception.steps = Int64(bitPattern: steps)
      }
      exception.hasSteps = flags & 8 != 0
      exceptions.append(exception)
    }
    return exceptions
  }
}
