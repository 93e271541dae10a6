package import AtollVocabulary

extension PositionKey {
  /// A key between two neighbours, never the same from two authors.
  ///
  /// - Parameters:
  ///   - left: The visible element that the new one follows; nil at the start of the list.
  ///   - right: The next key *held* after `left`, hidden and removed elements that are still
  ///     remembered included; nil at the end. With visible ones only, a run could be split.
  ///   - author: Who inserts.
  /// - Returns: A key over `left` and below `right`.
  package static func between(
    _ left: PositionKey?, _ right: PositionKey?, author: Author
  ) -> PositionKey {
    between(left, right, name: PositionName(author))
  }

  /// A key between two neighbours, for a writer that made its name once.
  ///
  /// The author's own run is continued where there is one on the way to either neighbour
  /// (``continued(_:_:_:)``); otherwise the new element becomes a child of a neighbour. Keys grow with
  /// each level of nesting; a writer refuses one over `Limits.positionKeyBytes`.
  package static func between(
    _ left: PositionKey?, _ right: PositionKey?, name: PositionName
  ) -> PositionKey {
    let leftPath = left.flatMap(PositionPath.init)
    let rightPath = right.flatMap(PositionPath.init)
    if let key = continued((left, leftPath), (right, rightPath), name) { return key }

    var parent: [UInt8] = []
    var path: PositionPath?
    if let right, right.bytes.starts(with: left?.bytes ?? []) {
      parent = right.bytes.dropLast() + [PositionPath.leftSide]
      path = rightPath
    } else if let left {
      parent = left.bytes
      path = leftPath
    }
    return PositionKey(
      bytes: parent + PositionPath.bytes(of: name, after: path)
        + PositionFraction(numbers: [0]).bytes + [PositionPath.elementSide])
  }

  /// True if the bytes are a path, as every key is that ``between(_:_:author:)`` gives.
  package var isWellFormed: Bool { PositionPath(self) != nil }

  /// The key next to the shallowest node of `name` on the way to either neighbour; nil if there is
  /// none that makes room.
  private static func continued(
    _ left: (key: PositionKey?, path: PositionPath?),
    _ right: (key: PositionKey?, path: PositionPath?), _ name: PositionName
  ) -> PositionKey? {
    let fromLeft = room(left, right, name) { PositionFraction.between($0, $1) }
    let fromRight = room(right, left, name) { PositionFraction.between($1, $0) }
    guard let fromLeft else { return fromRight?.key }
    guard let fromRight else { return fromLeft.key }
    return fromRight.depth < fromLeft.depth ? fromRight.key : fromLeft.key
  }

  /// The shallowest node of `name` on the way to `near` beside which `between` finds a fraction.
  ///
  /// It is given the node's own fraction and that of `far` under the same name, nil if `far` does not
  /// pass there.
  private static func room(
    _ near: (key: PositionKey?, path: PositionPath?),
    _ far: (key: PositionKey?, path: PositionPath?), _ name: PositionName,
    between: (PositionFraction, PositionFraction?) -> PositionFraction?
  ) -> (key: PositionKey, depth: Int)? {
    guard let key = near.key, let levels = near.path?.levels else { return nil }
    for (depth, level) in levels.enumerated() where level.name == name {
      let through = key.bytes[..<level.fractionStart]
      var opposite: PositionFraction?
      if let farKey = far.key, let path = far.path, farKey.bytes.starts(with: through) {
        opposite = path.levels[depth].fraction
      }
      if opposite == level.fraction { continue }
      guard let fraction = between(level.fraction, opposite) else { return nil }
      return (PositionKey(bytes: through + fraction.bytes + [PositionPath.elementSide]), depth)
    }
    return nil
  }
}
