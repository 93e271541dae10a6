import Foundation
import InspectionModel

/// Reports as lines of text.
enum Terminal {
  static func line(of report: InspectionReport) -> String {
    let done = report.checklist.filter(\.isDone).count
    return "\(report.code)  \(report.title)  \(done)/\(report.checklist.count)  "
      + "\(report.defects) defects\(report.urgency == "normal" ? "" : "  (\(report.urgency))")"
  }

  static func text(of report: InspectionReport) -> String {
    var lines = [line(of: report)]
    for (index, item) in report.checklist.enumerated() {
      lines.append("  \(index + 1). [\(item.isDone ? "x" : " ")] \(item.text)")
    }
    if let latitude = report.latitude, let longitude = report.longitude {
      lines.append("  at \(latitude), \(longitude)")
    }
    if let manual = report.manual { lines.append("  manual \(manual.absoluteString)") }
    if !report.tags.isEmpty { lines.append("  tags " + report.tags.joined(separator: ", ")) }
    for field in report.extra.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(field.key): \(field.value)")
    }
    for photo in report.photos { lines.append("  photo \(photo)") }
    return lines.joined(separator: "\n")
  }

  static func line(of conflict: ConflictReport) -> String {
    "\(conflict.id)  \(conflict.inspection) \(conflict.property): \(conflict.kept) was kept, "
      + "\(conflict.lost) was lost"
  }
}
