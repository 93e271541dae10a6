import AtollVocabulary

/// Aggregates of elements that the file does not have as rows: those of unmanaged collections, and
/// embedded objects.
///
/// The results are those that the file would give: nil counts for nothing, whole numbers wrap around.
struct ElementAggregate {
  private var values: [PersistedValue] = []

  /// Takes what the elements have at a path of names, or the elements themselves.
  ///
  /// Stops if a class has no such property, or the path leads through a collection.
  init(of elements: [_Stored], at path: String? = nil) {
    for element in elements {
      guard let value = path.map({ Self.follow($0, from: element) }) ?? element else { continue }
      if value.object != nil {
        Trap.stop(
          "Aggregating '\(path ?? "self")', which is not a value. Name one of its properties.")
      }
      if let value = value.scalar, !value.isNull { values.append(value) }
    }
  }

  /// The value at the end of a path of names; nil where a link on the way is nil.
  private static func follow(_ path: String, from element: _Stored) -> _Stored? {
    var value = element
    for name in path.split(separator: ".") {
      guard let object = value.object else {
        if value.isNull { return nil }
        Trap.stop("Aggregating '\(path)': '\(value)' has no properties.")
      }
      let property = object.property(named: String(name), "Aggregating")
      guard case .single(let stored) = property.input(of: object).content else {
        Trap.stop("Aggregating '\(path)', which leads through a collection.")
      }
      value = stored
    }
    return value
  }

  func value(of aggregate: _Aggregate) -> PersistedValue {
    switch aggregate {
    case .minimum: values.min(by: Self.precedes) ?? .null
    case .maximum: values.max(by: Self.precedes) ?? .null
    case .sum: sum
    case .average: average
    }
  }

  private static func precedes(_ a: PersistedValue, _ b: PersistedValue) -> Bool {
    guard let a = AnyValue._decode(_Stored(a)), let b = AnyValue._decode(_Stored(b)) else {
      return false
    }
    return a < b
  }

  private var decimals: [Decimal128] {
    values.compactMap { if case .decimal(let number) = $0 { number } else { nil } }
  }

  private var fractions: [Double] {
    values.compactMap { value in
      switch value {
      case .double(let number): number
      case .float(let number): Double(number)
      default: nil
      }
    }
  }

  private var integers: [Int64] {
    values.compactMap { if case .int(let number) = $0 { number } else { nil } }
  }

  private var sum: PersistedValue {
    let (decimals, fractions) = (decimals, fractions)
    let whole = integers.reduce(0, &+)
    if !decimals.isEmpty {
      let others = Decimal128(whole) + Decimal128(fractions.reduce(0, +))
      return .decimal(decimals.reduce(others, +))
    }
    return fractions.isEmpty ? .int(whole) : .double(fractions.reduce(Double(whole), +))
  }

  private var average: PersistedValue {
    let count = decimals.count + fractions.count + integers.count
    if count == 0 { return .null }
    if case .decimal(let sum) = sum { return .decimal(sum / Decimal128(count)) }
    // Of numbers that do not wrap around.
    return .double(integers.reduce(fractions.reduce(0, +)) { $0 + Double($1) } / Double(count))
  }
}
