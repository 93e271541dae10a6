import Atoll
import AtollStorage
import Foundation
import TestKit
import Testing

final class Grain: Object {
  @Persisted var number: Int
  @Persisted var name: String
}

/// Results over very many objects: what is not asked for is not read, and what was read not kept.
///
/// `ATOLL_OBJECTS` says how many; `make thorough` makes 1,000,000.
@Suite struct LazinessTests {
  @Test func `however many objects there are, memory is bounded`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    // A process of its own, because memory is what is measured.
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      let heap = try Heap(in: path)
      try heap.fill()
      heap.ask()
    }
  }
}

/// Very many objects, and what they are asked.
private struct Heap {
  /// More than SQLite's own cache of pages, and far less than the objects.
  private static let bound = 6 << 20

  private let store: Store
  private let count =
    ProcessInfo.processInfo.environment["ATOLL_OBJECTS"].flatMap { Int($0) } ?? 50_000

  init(in path: String) throws {
    store = try Store(
      configuration: .init(
        fileURL: URL(fileURLWithPath: path).appendingPathComponent("store.atoll"),
        objectTypes: [Grain.self]))
  }

  func fill() throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      try store.write {
        for number in start..<min(start + 10_000, count) {
          let grain = Grain()
          grain.number = number
          grain.name = "grain of sand, the \(number)th"
          store.add(grain)
        }
      }
    }
  }

  func ask() {
    let all = store.objects(Grain.self)
    _ = all.first?.name
    bounded("counting", rows: 1) { #expect(all.where { $0.number >= 0 }.count == count) }
    bounded("the first", rows: 1) {
      #expect(all.sorted(by: \.number).first?.number == 0)
    }
    bounded("one in the middle", rows: 128) { #expect(all[count / 2].number == count / 2) }
    bounded("a prefix", rows: 100) {
      #expect(all.prefix(100).reduce(0) { $0 + $1.number } == 4950)
    }
    bounded("iterating", rows: count) {
      #expect(all.reduce(0) { $0 + $1.number } == count * (count - 1) / 2)
    }
    bounded("going through by index", rows: count + 1) {
      var sum = 0
      for index in all.indices { sum += all[index].name.utf8.count > 0 ? all[index].number : 0 }
      #expect(sum == count * (count - 1) / 2)
    }
    bounded("an aggregate", rows: 1) {
      #expect(all.sum(of: \.number) == count * (count - 1) / 2)
    }
  }

  private func bounded(_ what: String, rows: Int, _ body: () -> Void) {
    let before = Self.memory
    let trace = store.traced(body)
    let grown = Self.memory - before
    #expect(grown < Self.bound, "\(what): \(grown) bytes more")
    #expect(trace.rows <= rows, "\(what): \(trace.rows) rows read")
  }

  /// Bytes of this process that are of no file.
  private static var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").compactMap { Int($0) }
    return pages.count > 2 ? (pages[1] - pages[2]) * Int(getpagesize()) : 0
  }
}
