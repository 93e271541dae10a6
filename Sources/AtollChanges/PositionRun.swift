/// The keys of elements that one writer inserts one after the other into one gap.
///
/// Each is what ``PositionKey/between(_:_:name:)`` gives right of the one before. At the end of a list
/// that is the next whole number under the writer's name, which needs no key to be taken apart.
package struct PositionRun {
  private let name: PositionName
  private let right: PositionKey?
  private var previous: PositionKey?
  /// The beginning of the run's keys, and the newest fraction; nil where ``right`` sets a bound.
  private var ending: (start: [UInt8], fraction: PositionFraction)?

  /// Starts a run of `name` over `left` and below `right`.
  package init(_ left: PositionKey?, _ right: PositionKey?, name: PositionName) {
    self.name = name
    self.right = right
    previous = left
  }

  /// The next key.
  package mutating func next() -> PositionKey {
    let key: PositionKey
    if let (start, last) = ending, let fraction = PositionFraction.between(last, nil) {
      ending = (start, fraction)
      key = PositionKey(bytes: start + fraction.bytes + [PositionPath.elementSide])
    } else {
      key = .between(previous, right, name: name)
      ending = right == nil ? Self.ending(of: key) : nil
    }
    previous = key
    return key
  }

  /// The writer's own node is the last of a key it has just made, and it has no other on the way.
  private static func ending(of key: PositionKey) -> (start: [UInt8], fraction: PositionFraction)? {
    PositionPath(key)?.levels.last.map { (Array(key.bytes[..<$0.fractionStart]), $0.fraction) }
  }
}
