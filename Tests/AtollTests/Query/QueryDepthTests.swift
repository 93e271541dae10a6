import Atoll
import Foundation
import Testing

/// Type-safe queries of any length, on a thread with a stack of 512 KiB.
@Suite struct QueryDepthTests {
  @Test func `issue 28.11: chains of AND and OR that a loop makes are answered`() throws {
    let found = try onSmallStack {
      let rows = try QueryFixture()
      let any = rows.wares { ware in
        (2...3000).reduce(ware.id == 1) { $0 || ware.id == -$1 }
      }
      let all = rows.wares { ware in
        (2...3000).reduce(ware.id > 3) { $0 && ware.id != -$1 }
      }
      let back = rows.wares { ware in
        (2...3000).reduce(ware.id == 2) { ware.id == -$1 || $0 }
      }
      let mixed = rows.wares { ware in
        (2...20).reduce(ware.id == 4) { ($0 || ware.id == -$1) && ware.id != -$1 }
      }
      return [any, all, back, mixed]
    }
    #expect(found == [[1], [4], [2], [4]])
  }

  @Test func `issue 28.11: one hundred terms are computed`() throws {
    let found = try onSmallStack {
      let rows = try QueryFixture()
      return [rows.wares { ware in (1..<100).reduce(ware.id) { sum, _ in sum + 1 } == 101 }]
    }
    #expect(found == [[2]])
  }

  @Test func `issue 28.11: what is nested too deeply stops with a sentence`() async {
    let deep = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = try QueryFixture()
      _ = rows.wares { ware in
        (2...10_000).reduce(ware.id == 4) { ($0 || ware.id == -$1) && ware.id != -$1 }
      }
    }
    #expect(said(deep, "Making a query: its conditions are more than 64 inside one another."))
    let long = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = try QueryFixture()
      _ = rows.wares { ware in (1...8000).reduce(ware.id) { sum, _ in sum + 1 } == 101 }
    }
    #expect(said(long, "a number is computed from more than 100 properties and constants"))
    let narrowed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = try QueryFixture()
      _ = (1...10_000).reduce(rows.wares) { results, _ in
        results.distinct(by: [\Ware.id]).where { $0.id > 0 }
      }
    }
    #expect(said(narrowed, "results that are distinct or limited were narrowed down more than 7"))
  }

  @Test func `issue 28.11: an any-typed value in JSON of any depth is read or refused`() throws {
    for depth in [1, 60, 65, 500, 100_000] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let found = try onSmallStack {
        let value = try? JSONDecoder().decode(AnyValue.self, from: Data(text.utf8))
        return [[value == nil ? 0 : 1]]
      }
      #expect(found == [[depth > 64 ? 0 : 1]], "\(depth)")
    }
  }
}

private func onSmallStack(_ body: @escaping () throws -> [[Int]]) throws -> [[Int]] {
  final class Box: @unchecked Sendable { var result = Swift.Result<[[Int]], any Error>.success([]) }
  let (box, done) = (Box(), DispatchSemaphore(value: 0))
  nonisolated(unsafe) let body = body
  let thread = Thread {
    box.result = Swift.Result(catching: body)
    done.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  done.wait()
  return try box.result.get()
}
