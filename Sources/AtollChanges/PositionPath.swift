/// A position key taken apart: the way from the root of the tree of elements down to one of them.
struct PositionPath {
  /// One step: a child of that name and fraction.
  struct Level {
    var name: PositionName
    /// The beginning of the fraction's bytes; everything before is the key *through that name*.
    var fractionStart: Int
    var fraction: PositionFraction
  }

  /// The path goes on among the elements to the left of this one.
  static let leftSide: UInt8 = 0x00
  /// The path ends here, or goes on among the elements to the right of this one.
  static let elementSide: UInt8 = 0x01
  /// Starts a name in full.
  static let longName: UInt8 = 0xFF
  /// The last name that can be referred to by one byte.
  static let shortNames = 254

  private(set) var levels: [Level] = []
  /// Names in the order of their first occurrence in full.
  private var names: [PositionName] = []

  /// Reads a key; nil if it is not a path.
  init?(_ key: PositionKey) {
    let bytes = key.bytes
    guard bytes.last == Self.elementSide else { return nil }
    var offset = 0
    while offset < bytes.count {
      guard let name = name(bytes, at: &offset) else { return nil }
      let start = offset
      guard let fraction = PositionFraction(bytes, from: &offset) else { return nil }
      levels.append(Level(name: name, fractionStart: start, fraction: fraction))
      offset += 1
    }
  }

  /// The bytes of `name` at the end of `path`: one if the path has it in full, nine otherwise.
  static func bytes(of name: PositionName, after path: PositionPath?) -> [UInt8] {
    if let place = path?.names.prefix(shortNames).firstIndex(of: name) {
      return [UInt8(truncatingIfNeeded: place + 1)]
    }
    var bytes = [longName]
    bytes.append(fixed: name.rawValue)
    return bytes
  }

  private mutating func name(_ bytes: [UInt8], at offset: inout Int) -> PositionName? {
    let first = bytes[offset]
    if first != Self.longName {
      guard first > 0, Int(first) <= min(names.count, Self.shortNames) else { return nil }
      offset += 1
      return names[Int(first) - 1]
    }
    guard bytes.count - offset > 8 else { return nil }
    let name = PositionName(
      rawValue: bytes[offset + 1..<offset + 9].reduce(0) { $0 << 8 | UInt64($1) })
    guard !names.prefix(Self.shortNames).contains(name) else { return nil }
    names.append(name)
    offset += 9
    return name
  }
}
