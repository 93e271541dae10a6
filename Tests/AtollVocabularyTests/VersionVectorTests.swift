import AtollVocabulary
import Testing

@Suite struct VersionVectorTests {
  private func author(_ number: UInt64) -> Author {
    Author(replica: ReplicaID(high: number, low: 0), incarnation: Incarnation(0))
  }

  private func vector(_ sequences: [UInt64: UInt64]) -> VersionVector {
    VersionVector(
      sequences.map { .init(author: author($0), sequence: SequenceNumber($1)) })
  }

  @Test func `an author that was never heard of is at none`() {
    #expect(VersionVector()[author(1)] == .none)
    #expect(VersionVector().isEmpty)
  }

  @Test func `entries are ascending by author, in whatever order they come`() {
    let vector = vector([5: 1, 1: 2, 3: 3])
    #expect(vector.entries.map(\.author) == [author(1), author(3), author(5)])
  }

  @Test func `the greatest of several entries of one author counts`() {
    let entries = [3, 9, 4].map {
      VersionVector.Entry(author: author(1), sequence: SequenceNumber($0))
    }
    #expect(VersionVector(entries)[author(1)] == SequenceNumber(9))
  }

  @Test func `an entry set to none is gone`() {
    var vector = vector([1: 2, 2: 2])
    vector[author(1)] = .none
    vector[author(9)] = .none
    #expect(vector == self.vector([2: 2]))
  }

  @Test func `a union has the greater number of each author`() {
    var one = vector([1: 5, 2: 1])
    one.formUnion(vector([2: 4, 3: 1]))
    #expect(one == vector([1: 5, 2: 4, 3: 1]))
  }

  @Test func `a vector includes what is at most as far in every author`() {
    let one = vector([1: 5, 2: 1])
    #expect(one.includes(one))
    #expect(one.includes(vector([1: 4])))
    #expect(one.includes(VersionVector()))
    #expect(!one.includes(vector([1: 6])))
    #expect(!one.includes(vector([3: 1])))
  }

  @Test func `the count beyond another vector is what that one lacks`() {
    #expect(vector([1: 5, 2: 1, 3: 2]).count(beyond: vector([1: 2, 2: 7])) == 5)
  }

  @Test func `the text is the same in every process`() {
    #expect(
      vector([2: 7, 1: 5]).description == "{00000000.0000: 5, 00000000.0000: 7}")
  }
}
