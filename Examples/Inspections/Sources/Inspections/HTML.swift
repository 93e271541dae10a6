import Foundation
import HTTPTypes
import Hummingbird
import InspectionModel

/// A page.
struct HTML: ResponseGenerator {
  let text: String

  func response(from request: Request, context: some RequestContext) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  private init(title: String, _ body: String) {
    text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(Self.escape(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <nav><a href="/">Inspections</a></nav>
      <main>
      <h1>\(Self.escape(title))</h1>
      \(body)
      </main>
      </body>
      </html>
      """
  }

  // MARK: Pages

  static func list(_ reports: [InspectionReport], _ conflicts: [ConflictReport]) -> HTML {
    let rows = reports.map { report in
      let done = report.checklist.filter(\.isDone).count
      return """
        <tr><td><a href="\(Site.path(of: report.code))">\(escape(report.code))</a></td>\
        <td>\(escape(report.title))</td><td>\(done) of \(report.checklist.count)</td>\
        <td>\(report.defects)</td><td>\(report.tags.map(escape).joined(separator: ", "))</td></tr>
        """
    }
    return HTML(
      title: "Inspections",
      """
      <table>
      <tr><th>Code</th><th>Title</th><th>Checked</th><th>Defects</th><th>Tags</th></tr>
      \(rows.joined(separator: "\n"))
      </table>
      <form method="post" action="/inspections">
      <input name="code" placeholder="Code" aria-label="Code" required>
      <input name="title" placeholder="Title" aria-label="Title" required>
      <button>Begin</button>
      </form>
      \(section(of: conflicts))
      """)
  }

  static func page(of report: InspectionReport) -> HTML {
    let query = Site.query(of: report.code)
    let items = report.checklist.enumerated().map { index, item in
      """
      <form method="post" action="/inspection/check?\(query)" class="item">
      <input type="hidden" name="item" value="\(index)">
      \(item.isDone ? "" : "<input type=\"hidden\" name=\"done\" value=\"yes\">")
      <button aria-label="\(item.isDone ? "Check on" : "Check off")">\(item.isDone ? "☑" : "☐")</button>
      \(escape(item.text))
      </form>
      """
    }
    var facts: [(String, String)] = []
    if let latitude = report.latitude, let longitude = report.longitude {
      facts.append(("Place", "\(latitude), \(longitude)"))
    }
    if let manual = report.manual { facts.append(("Manual", escape(manual.absoluteString))) }
    facts += report.extra.sorted { $0.key < $1.key }.map { (escape($0.key), escape("\($0.value)")) }
    facts += report.photos.map { ("Photo", escape($0)) }
    return HTML(
      title: "\(report.code): \(report.title)",
      """
      <form method="post" action="/inspection/title?\(query)"><input name="title" aria-label="Title" \
      value="\(escape(report.title))" required><button>Rename</button></form>
      \(items.joined(separator: "\n"))
      <form method="post" action="/inspection/defects?\(query)">\(report.defects) defects \
      <button>One more</button></form>
      <form method="post" action="/inspection/tags?\(query)">\(report.tags.map(escape).joined(separator: ", ")) \
      <input name="tag" placeholder="Tag" aria-label="Tag" required><button>Add</button></form>
      <table>\(facts.map { "<tr><th>\($0)</th><td>\($1)</td></tr>" }.joined(separator: "\n"))</table>
      <form method="post" action="/inspection/fields?\(query)">
      <input name="field" placeholder="Field" aria-label="Field" required>
      <input name="value" placeholder="Value" aria-label="Value" required>
      <button>Note</button>
      </form>
      """)
  }

  private static func section(of conflicts: [ConflictReport]) -> String {
    if conflicts.isEmpty { return "" }
    let rows = conflicts.map { conflict in
      """
      <tr><td>\(escape(conflict.inspection)) \(escape(conflict.property))</td>\
      <td>\(escape(conflict.kept))</td><td>\(escape(conflict.lost))</td>\
      <td><form method="post" action="/conflicts">\
      <input type="hidden" name="id" value="\(conflict.id)"><button>Give back</button></form></td></tr>
      """
    }
    return """
      <h2>Written by two at once</h2>
      <table><tr><th>Of</th><th>Kept</th><th>Lost</th><th></th></tr>
      \(rows.joined(separator: "\n"))</table>
      """
  }

  // MARK: Texts

  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #8884 }
    body { margin: 0; font: 16px/1.5 system-ui, sans-serif }
    nav { padding: 12px 24px; border-bottom: 1px solid var(--line) }
    nav a { color: inherit; font-weight: 600; text-decoration: none }
    main { max-width: 780px; margin: 0 auto; padding: 8px 24px 48px }
    table { border-collapse: collapse; width: 100%; margin: 16px 0 }
    th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line) }
    form { margin: 12px 0; display: flex; gap: 8px; align-items: center; flex-wrap: wrap }
    td form { margin: 0 }
    input, button { font: inherit; padding: 4px 10px }
    .item button { border: none; background: none; font-size: 20px; cursor: pointer }
    """
}
