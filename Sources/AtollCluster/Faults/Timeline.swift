import Foundation

/// A drawing of a run: a lane for each node, with its faults as bars and its lag as a line.
struct Timeline {
  let report: FaultReport

  private static let width = 1_000.0
  private static let left = 40.0
  private static let laneHeight = 60.0
  private static let barHeight = 12.0
  private static let top = 40.0

  private static func colour(_ kind: FaultKind) -> String {
    switch kind {
    case .kill: "#c0392b"
    case .pause: "#8e44ad"
    case .partition: "#2c3e50"
    case .slow: "#d4ac0d"
    case .clock: "#2980b9"
    case .diskFull: "#a04000"
    case .restore: "#27ae60"
    }
  }

  /// The drawing, as SVG.
  var svg: String {
    let height = Self.top + Double(report.nodes.count) * Self.laneHeight + 30
    let body = [legend] + report.nodes.indices.map(lane) + [axis(at: height - 12)]
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height))" \
      font-family="sans-serif" font-size="11">
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  /// Seconds that the drawing shows.
  private var seconds: Double { max(1, report.samples.last?.time ?? report.secondsOfWriting) }

  private var greatestLag: Double {
    Double(max(1, report.nodes.map(\.greatestLag).max() ?? 1))
  }

  private func x(_ time: Double) -> String {
    text(Self.left + (Self.width - Self.left - 10) * min(1, time / seconds))
  }

  private func text(_ number: Double) -> String { String(format: "%.1f", number) }

  private var legend: String {
    let kinds = FaultKind.allCases.filter { kind in report.faults.contains { $0.kind == kind } }
    return kinds.enumerated().map { index, kind in
      let x = Self.left + Double(index) * 100
      return """
        <rect x="\(text(x))" y="10" width="12" height="12" fill="\(Self.colour(kind))"/>\
        <text x="\(text(x + 16))" y="20">\(kind.rawValue)</text>
        """
    }.joined(separator: "\n")
  }

  private func lane(_ node: Int) -> String {
    let y = Self.top + Double(node) * Self.laneHeight
    let name = "<text x=\"8\" y=\"\(text(y + Self.barHeight))\">\(report.nodes[node].name)</text>"
    let bars = report.faults.filter { $0.node == node }.map { fault in
      let width = (fault.end - fault.begin) / seconds * (Self.width - Self.left - 10)
      return """
        <rect x="\(x(fault.begin))" y="\(text(y))" width="\(text(width))" \
        height="\(text(Self.barHeight))" fill="\(Self.colour(fault.kind))">\
        <title>\(fault.kind.rawValue), \(text(fault.begin)) s to \(text(fault.end)) s</title></rect>
        """
    }
    return ([name] + bars + [lag(node, from: y + Self.laneHeight - 8)]).joined(separator: "\n")
  }

  private func lag(_ node: Int, from base: Double) -> String {
    let room = Self.laneHeight - Self.barHeight - 14
    let points = report.samples.compactMap { sample in
      sample.behind[node].map { behind in
        "\(x(sample.time)),\(text(base - room * Double(behind) / greatestLag))"
      }
    }
    return """
      <polyline points="\(points.joined(separator: " "))" fill="none" stroke="#555"/>
      """
  }

  private func axis(at y: Double) -> String {
    let end = "\(Int(seconds)) s; lines: changesets behind, at most \(Int(greatestLag))"
    return """
      <text x="\(text(Self.left))" y="\(text(y))">0 s</text>\
      <text x="\(text(Self.width - 10))" y="\(text(y))" text-anchor="end">\(end)</text>
      """
  }
}
