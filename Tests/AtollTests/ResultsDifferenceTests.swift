import Atoll
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct ResultsDifferenceTests {
  private func difference(
    _ old: [Int64], _ new: [Int64], isAscending: Bool, modified: Set<Int64> = []
  ) -> ResultsDifference {
    ResultsDifference(
      from: old.map(RowID.init), to: new.map(RowID.init), isAscending: isAscending,
      isModified: { modified.contains($0.rawValue) })
  }

  @Test(arguments: [true, false])
  func `deletions count in the old list, the rest in the new one`(isAscending: Bool) {
    let found = difference(
      [1, 3, 5, 7], [3, 4, 7, 9], isAscending: isAscending, modified: [3, 7, 5])
    #expect(found.deletions == [0, 2])
    #expect(found.insertions == [1, 3])
    #expect(found.modifications == [0, 2])
  }

  @Test(arguments: [true, false])
  func `equal lists differ in nothing`(isAscending: Bool) {
    #expect(difference([1, 2], [1, 2], isAscending: isAscending).isEmpty)
    #expect(difference([], [], isAscending: isAscending).isEmpty)
  }

  @Test func `a row that changed places is deleted and inserted, the others stay`() {
    let found = difference([1, 2, 3, 4], [2, 3, 4, 1], isAscending: false, modified: [1, 3])
    #expect(found.deletions == [0])
    #expect(found.insertions == [3])
    #expect(found.modifications == [1])
  }

  @Test func `applying a difference to the old list gives the new one`() {
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var random = SeededGenerator(seed: seed)
    for round in 0..<1000 {
      // Lists can have an object several times.
      let all = round % 2 == 0 ? Array(0..<12) : (0..<12).map { $0 % 5 }
      let old = all.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
      let new = all.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
      let found = difference(old.map(Int64.init), new.map(Int64.init), isAscending: false)
      var list = old
      for index in found.deletions.reversed() { list.remove(at: index) }
      for index in found.insertions { list.insert(new[index], at: index) }
      #expect(list == new, "seed \(seed)")
    }
  }
}
