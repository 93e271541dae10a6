import AtollVocabulary
import CoreMetrics
import Foundation

/// The metrics that Prometheus's own clients have for every process, under their names.
struct ProcessMeters {
  static let help = [
    "atoll_build_info": "1, with the version of this build.",
    "process_resident_memory_bytes": "Memory that is in RAM.",
    "process_open_fds": "Descriptors that are open.",
    "process_cpu_seconds_total": "Processor time, by the user and the system for it.",
    "process_start_time_seconds": "When the process began, in seconds since 1970.",
  ]

  private let memory, descriptors, processor: Gauge

  init(_ factory: any MetricsFactory) {
    func gauge(_ name: String, _ labels: [(String, String)] = []) -> Gauge {
      Gauge(label: name, dimensions: labels, factory: factory)
    }
    memory = gauge("process_resident_memory_bytes")
    descriptors = gauge("process_open_fds")
    processor = gauge("process_cpu_seconds_total")
    gauge("process_start_time_seconds").record(Date().timeIntervalSince1970)
    gauge("atoll_build_info", [("version", Release.version)]).record(1)
  }

  func measure() {
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      processor.record(Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime))
    }
    if let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      .split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    {
      memory.record(pages * sysconf(Int32(_SC_PAGESIZE)))
    }
    if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      descriptors.record(open.count)
    }
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
