import Foundation

/// One row: the same work done by us and by a peer, timed in turns in one process.
struct Benchmark {
  var name: String
  /// The peer of the comparison, as the table prints it.
  var peer: String
  /// Ours divided by theirs, at most; nil where the row is for scale only.
  var target: Double?
  /// Does the work once and returns the milliseconds of its timed part.
  var ours: () throws -> Double
  var theirs: () throws -> Double
}

/// The figures of a row: medians in milliseconds over the rounds.
struct Figures {
  var name: String
  var peer: String
  var target: Double?
  var ours: Double
  var theirs: Double
  var ratio: Double { ours / theirs }
}

extension Benchmark {
  /// Runs both sides in turns, one round each uncounted first.
  func run(rounds: Int) throws -> Figures {
    var ours: [Double] = []
    var theirs: [Double] = []
    for round in 0...rounds {
      let (a, b) = (try self.ours(), try self.theirs())
      if round > 0 {
        ours.append(a)
        theirs.append(b)
      }
    }
    return Figures(
      name: name, peer: peer, target: target, ours: median(ours), theirs: median(theirs))
  }
}

/// The middle value of an odd number of values, the mean of the two middle ones otherwise.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The unit of milliseconds in all rows; set once, before anything runs.
enum Stopwatch {
  nonisolated(unsafe) static var countsProcessorTime = false

  fileprivate static var processorMilliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// Milliseconds that `body` took.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  if Stopwatch.countsProcessorTime {
    let start = Stopwatch.processorMilliseconds
    try body()
    return Stopwatch.processorMilliseconds - start
  }
  let duration = try ContinuousClock().measure(body)
  return Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
}
