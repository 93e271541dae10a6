import AtollVocabulary
import Testing

@Suite struct ChunkedArrayTests {
  @Test func `a long chunked array does what an array does`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var chunked = ChunkedArray(0..<3000)
    var array = Array(0..<3000)
    for number in 0..<6000 {
      let index = Int.random(in: array.indices, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0: #expect(chunked.remove(at: index) == array.remove(at: index), "seed \(seed)")
      case 1:
        chunked[index] = number
        array[index] = number
      case 2:
        chunked.append(number)
        array.append(number)
      case 3:
        chunked.insert(contentsOf: [number, -number], at: index)
        array.insert(contentsOf: [number, -number], at: index)
      case _:
        chunked.insert(number, at: index)
        array.insert(number, at: index)
      }
      if number.isMultiple(of: 500) {
        #expect(chunked.elementsEqual(array), "seed \(seed)")
        #expect(chunked.indices.allSatisfy { chunked[$0] == array[$0] }, "seed \(seed)")
      }
    }
    #expect(Array(chunked) == array, "seed \(seed)")
    #expect(chunked.count == array.count)
  }

  @Test func `a chunked array can be emptied from either end and filled again`() {
    var chunked = ChunkedArray(0..<2500)
    for expected in 0..<1250 { #expect(chunked.remove(at: 0) == expected) }
    for expected in (1250..<2500).reversed() {
      #expect(chunked.remove(at: chunked.count - 1) == expected)
    }
    #expect(chunked.isEmpty)
    chunked.insert(1, at: 0)
    chunked.append(2)
    #expect(Array(chunked) == [1, 2])
    chunked.removeAll()
    #expect(chunked.isEmpty)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a chunked array that grows and shrinks in turns does what an array does`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var array = Array(0..<3000)
    var chunked = ChunkedArray(array)
    for step in 0..<6000 {
      let isGrowing = (step / 2000) % 2 == 0
      if array.isEmpty || Int.random(in: 0..<10, using: &random) < (isGrowing ? 8 : 2) {
        let index = Int.random(in: 0...array.count, using: &random)
        array.insert(-step, at: index)
        chunked.insert(-step, at: index)
      } else {
        let index = Int.random(in: 0..<array.count, using: &random)
        #expect(chunked.remove(at: index) == array.remove(at: index), "seed \(seed)")
      }
      let index = Int.random(in: 0..<max(array.count, 1), using: &random)
      if index < array.count { #expect(chunked[index] == array[index], "seed \(seed)") }
    }
    #expect(chunked.count == array.count)
    #expect(chunked.elements(in: 0..<array.count) == array, "seed \(seed)")
    let middle = array.count / 3..<array.count / 2
    #expect(chunked.elements(in: middle) == Array(array[middle]), "seed \(seed)")
    let sought = chunked.indices { $0.isMultiple(of: 7) }
    #expect(sought == array.indices.filter { array[$0].isMultiple(of: 7) }, "seed \(seed)")
    #expect(ChunkedArray<Int>().elements(in: 0..<0).isEmpty)
  }

  @Test func `elements put in at either end of a chunked array stay in order`() {
    var chunked = ChunkedArray<Int>()
    for number in 0..<5000 { chunked.insert(number, at: number) }
    for number in 1..<5000 { chunked.insert(-number, at: 0) }
    #expect(chunked.elements(in: 0..<9999) == Array(-4999..<5000))
    for _ in 0..<9999 { chunked.remove(at: chunked.count / 2) }
    #expect(chunked.count == 0)
  }

  @Test func `a copy keeps what the original had`() {
    var chunked = ChunkedArray(0..<2000)
    let copy = chunked
    chunked.insert(-1, at: 1000)
    chunked[0] = -2
    #expect(copy.elementsEqual(0..<2000))
    #expect(chunked.count == 2001)
  }
}
