import Foundation

/// The limit of open files and connections of the process.
enum OpenFiles {
  /// Takes all that the system allows, not the thousand or so that a process begins with for the sake of
  /// programs that wait with `select`.
  static func takeAll() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    // If that is refused, a link without a descriptor is reported when it comes.
    _ = setrlimit(resource, &limit)
  }
}
