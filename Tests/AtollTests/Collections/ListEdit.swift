import Atoll
import AtollVocabulary
import Foundation

/// The same random change to a list and to an array, which says what a list must do.
enum ListEdit {
  static func random<Element: Sampled>(
    _ list: List<Element>, _ array: inout [Element], _ random: inout SeededGenerator
  ) {
    let values = (0..<3).compactMap { _ in Element.samples.randomElement(using: &random) }
    guard let place = array.indices.randomElement(using: &random), let value = values.first else {
      list.append(objectsIn: values)
      return array.append(contentsOf: values)
    }
    let end = Int.random(in: place...array.count, using: &random)
    let other = Int.random(in: array.indices, using: &random)
    switch Int.random(in: 0...17, using: &random) {
    case 0, 1:
      list.append(value)
      array.append(value)
    case 2:
      list.append(objectsIn: values)
      array.append(contentsOf: values)
    case 3, 4:
      list.insert(value, at: place)
      array.insert(value, at: place)
    case 5:
      list.insert(contentsOf: values, at: end)
      array.insert(contentsOf: values, at: end)
    case 6:
      list[place] = value
      array[place] = value
    case 7:
      list.replace(index: place, object: value)
      array[place] = value
    case 8:
      list.swapAt(place, other)
      array.swapAt(place, other)
    case 9:
      list.move(from: place, to: other)
      array.insert(array.remove(at: place), at: other)
    case 10:
      list.replaceSubrange(place..<end, with: values)
      array.replaceSubrange(place..<end, with: values)
    default: remove(list, &array, &random, place..<end)
    }
  }

  private static func remove<Element>(
    _ list: List<Element>, _ array: inout [Element], _ random: inout SeededGenerator,
    _ range: Range<Int>
  ) {
    switch Int.random(in: 0...7, using: &random) {
    case 0:
      list.remove(at: range.lowerBound)
      array.remove(at: range.lowerBound)
    case 1:
      list.removeFirst()
      array.removeFirst()
    case 2:
      list.removeLast()
      array.removeLast()
    case 3:
      list.removeFirst(min(2, array.count))
      array.removeFirst(min(2, array.count))
    case 4:
      list.removeLast(min(2, array.count))
      array.removeLast(min(2, array.count))
    case 5:
      list.removeSubrange(range.prefix(3))
      array.removeSubrange(range.prefix(3))
    case 6:
      let offsets = IndexSet(
        array.indices.filter { _ in Int.random(in: 0...3, using: &random) == 0 })
      list.remove(atOffsets: offsets)
      for index in offsets.reversed() { array.remove(at: index) }
    default:
      let offsets = IndexSet(array.indices.filter { _ in Bool.random(using: &random) })
      list.move(fromOffsets: offsets, toOffset: range.upperBound)
      move(&array, offsets, range.upperBound)
    }
  }

  /// Moves elements as SwiftUI moves those of an array.
  private static func move<Element>(
    _ array: inout [Element], _ offsets: IndexSet, _ destination: Int
  ) {
    let before = array.indices.filter { $0 < destination && !offsets.contains($0) }
    let after = array.indices.filter { $0 >= destination && !offsets.contains($0) }
    array = (before + Array(offsets) + after).map { array[$0] }
  }
}
