import Atoll
import Foundation
import StoreTestKit
import Testing

/// Decimals in sets, as `protocol/changeset.md` has them: a member is named by its number, and 0
/// and −0 are two.
@Suite struct ZeroMemberTests {
  @Test func `issue 28.8: decimals 0 and −0 are two members of a set, 1.5 and 1.50 one`() throws {
    let numbers = try ["0", "-0", "0.00", "-0E+3", "1.5", "1.50"].map { text in
      try Decimal128(string: text)
    }
    let folder = TemporaryStore([SetOf<Decimal128>.self, SetOf<AnyValue>.self])
    let store = try folder.open()
    let (unmanaged, managed) = (SetOf<Decimal128>(), SetOf<Decimal128>())
    let (any, anyManaged) = (SetOf<AnyValue>(), SetOf<AnyValue>())
    try store.write {
      store.add(managed)
      store.add(anyManaged)
      for number in numbers {
        for set in [unmanaged.elements, managed.elements] { set.insert(number) }
        for set in [any.elements, anyManaged.elements] { set.insert(.decimal128(number)) }
      }
    }
    func check(_ set: MutableSet<Decimal128>) {
      #expect(set.count == 3)
      #expect(Set(set.filter(\.isZero).map(\.isNegative)) == [true, false])
      #expect(numbers.allSatisfy(set.contains))
    }
    check(unmanaged.elements)
    check(managed.elements)
    #expect(any.elements.count == 3 && anyManaged.elements.count == 3)
    let other = try folder.open()
    let found = try #require(other.objects(SetOf<Decimal128>.self).first)
    check(found.elements)
    try other.write { found.elements.remove(numbers[1]) }
    #expect(found.elements.count == 2 && found.elements.contains(numbers[0]))
    #expect(!found.elements.contains(numbers[3]))
    #expect(found.elements.filter(\.isZero).map(\.isNegative) == [false])
  }
}
