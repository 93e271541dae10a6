import AtollChanges
import AtollVocabulary
import TestKit

extension SeededRandom {
  /// A changeset that is well-formed, though it need not mean anything.
  mutating func changeset() -> Changeset {
    Changeset(
      author: Samples.author(UInt64(below(3))),
      // Its references are before it, and all of it is within the bounds.
      sequence: SequenceNumber(1 << 52 | UInt64(below(1000))),
      time: HybridTime(rawValue: 1 << 60 | next() >> 4), dependencies: dependencies(),
      declarations: (0..<below(4)).map { _ in declaration() },
      operations: (0...below(12)).map { _ in operation() })
  }

  private mutating func dependencies() -> [Dependency] {
    (1..<UInt32(below(3)) + 1).map {
      Dependency(
        author: AuthorNumber($0), sequence: sequence(),
        hash: .origin(of: Samples.author(UInt64($0))))
    }
  }

  private mutating func declaration() -> Declaration {
    let types = PersistedType.allCases
    switch below(4) {
    case 0: return .author(Samples.author(next()))
    case 1: return .class(ClassDeclaration(name: text(), isEmbedded: true, keyType: .identity))
    case 2:
      return .class(
        ClassDeclaration(name: text(), isEmbedded: false, keyType: types[below(types.count)]))
    default:
      let type = types[below(types.count)]
      return .property(
        PropertyDeclaration(
          owner: ClassNumber(small()), name: text(), type: type,
          collection: CollectionKind.allCases[below(CollectionKind.allCases.count)],
          target: type == .link || type == .embedded ? ClassNumber(small()) : nil))
    }
  }

  private mutating func operation() -> Operation {
    chance(2, of: 15) ? .control(controlOperation()) : .data(dataOperation())
  }

  private mutating func controlOperation() -> ControlOperation {
    chance(1, of: 2)
      ? .release(AuthorNumber(small()), through: sequence())
      : .supersede(AuthorNumber(small()), from: .first, through: sequence())
  }

  private mutating func dataOperation() -> DataOperation {
    switch below(13) {
    case 0: .create(object(), createdFields())
    case 1: .delete(object())
    case 2: .assign(path(), value())
    case 3:
      .increment(
        path(), by: Int64(bitPattern: number()),
        on: chance(1, of: 2) ? .default : .assignment(stamp()))
    case 4: .insert(path(), at: position(), value())
    case 5: .assignElement(path(), element(), value())
    case 6: .move(path(), element(), to: position())
    case 7: .remove(path(), element())
    case 8: .clear(path(), (0..<below(4)).map { _ in element() })
    case 9: .insertMember(path(), value())
    case 10: .removeMember(path(), value())
    case 11: .assignEntry(path(), key: text(), value())
    default: .removeEntry(path(), key: text())
    }
  }

  private mutating func object() -> ObjectReference {
    ObjectReference(
      class: ClassNumber(UInt32(below(2))), key: scalar(), generation: Generation(small()))
  }

  private mutating func path() -> CellPath {
    CellPath(
      object: object(), steps: (0..<below(3)).map { _ in step() },
      property: PropertyNumber(small()), nested: (0..<below(3)).map { _ in nestedStep() })
  }

  private mutating func step() -> PathStep {
    switch below(3) {
    case 0: .slot(PropertyNumber(small()), instance: stamp())
    case 1: .element(PropertyNumber(small()), element(), instance: stamp())
    default: .entry(PropertyNumber(small()), key: text(), instance: stamp())
    }
  }

  private mutating func nestedStep() -> NestedStep {
    switch below(3) {
    case 0: .slot(instance: stamp())
    case 1: .element(element(), instance: stamp())
    default: .entry(key: text(), instance: stamp())
    }
  }

  private mutating func stamp() -> StampReference {
    StampReference(
      time: HybridTime(rawValue: next() >> 4), author: AuthorNumber(small()), index: small())
  }

  private mutating func element() -> ElementReference {
    ElementReference(
      author: AuthorNumber(small()), sequence: sequence(), index: small())
  }

  private mutating func createdFields() -> [CreatedField] {
    ascending().map {
      CreatedField(property: $0, value: value(), isAssigned: chance(1, of: 2))
    }
  }

  private mutating func ascending() -> [PropertyNumber] {
    Set((0..<below(4)).map { _ in small() }).sorted().map { PropertyNumber($0) }
  }

  private mutating func value(depth: Int = 0) -> FieldValue {
    switch below(8) {
    case 0: return .link(object())
    case 2: return .collection(chance(1, of: 2) ? .list : .map)
    case 3: return .scalar(decimal())
    case 1 where depth < 4:
      return .embedded(
        ascending().map { EmbeddedField(property: $0, value: value(depth: depth + 1)) })
    default:
      let scalar = scalar()
      if case .identity = scalar { return .scalar(.null) }
      return .scalar(scalar)
    }
  }

  mutating func scalar() -> PersistedValue {
    switch below(12) {
    case 0: .null
    case 1: .bool(chance(1, of: 2))
    case 2, 3: .int(Int64(bitPattern: number()))
    case 4: .float(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
    case 5: .double(Double(bitPattern: next()))
    case 6: .date(chance(1, of: 4) ? -.nan : Double(below(1000)))
    case 7, 8: .string(text())
    case 9: .data((0..<below(40)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case 10:
      chance(1, of: 2)
        ? .uuid(UniqueBytes(high: next(), low: next()))
        : .objectId(ObjectId(high: next(), low: UInt32(truncatingIfNeeded: next())))
    default:
      .identity(
        ChangeIdentity(
          author: Samples.author(UInt64(below(3))), sequence: sequence(),
          index: small()))
    }
  }

  private mutating func decimal() -> PersistedValue {
    switch below(8) {
    case 0: .decimal(Decimal128(high: 0x7C00 << 48, low: 0))
    case 1: .decimal(Decimal128(high: (chance(1, of: 2) ? 0x7800 : 0xF800) << 48, low: 0))
    default:
      .decimal(
        Decimal128(
          high: UInt64(below(2)) << 63 | UInt64(below(12288)) << 49 | UInt64(below(1 << 48)),
          low: number()))
    }
  }

  mutating func position() -> PositionKey {
    let left = PositionKey.between(nil, nil, author: Samples.author(UInt64(below(3))))
    return PositionKey.between(
      chance(1, of: 2) ? left : nil, nil, author: Samples.author(UInt64(below(3))))
  }

  private mutating func text() -> String {
    let alphabet = Array("aZ0 \u{0}ßé\u{301}日𝄞👨‍👩‍👧")
    return String((0..<below(12)).map { _ in alphabet[below(alphabet.count)] })
  }

  /// Any number of bits, all equally often.
  private mutating func number() -> UInt64 { next() >> UInt64(below(64)) }

  private mutating func sequence() -> SequenceNumber { SequenceNumber(number() >> 12 | 1) }

  private mutating func small() -> UInt32 { UInt32(truncatingIfNeeded: number() >> 33) }
}
