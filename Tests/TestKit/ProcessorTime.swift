import Foundation

/// The processor time that `work` takes of this thread, whatever else runs on the machine.
package func processorTime(of work: () throws -> Void) rethrows -> Duration {
  func spent() -> Duration {
    var now = timespec()
    precondition(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0, "this thread has no clock")
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
  }
  let before = spent()
  try work()
  return spent() - before
}
