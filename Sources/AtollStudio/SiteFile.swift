import Foundation

/// A file of the site, embedded in the binary.
struct SiteFile: Sendable {
  let type: String
  let data: Data

  /// A file of the binary, or of a folder that somebody works in.
  static func named(_ name: String, in folder: String? = nil) -> SiteFile? {
    guard let embedded = all[name] else { return nil }
    guard let folder else { return embedded }
    let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)")
    return bytes.flatMap { SiteFile(name, [UInt8]($0)) }
  }

  /// The header `Link` of the first page: its modules, and the request for the session.
  static let firstPage = modules(importedBy: ["main.js", "page-objects.js"]).sorted()
    .reduce(into: "</api/v1/session>; rel=preload; as=fetch; crossorigin") { links, name in
      links += ", </\(name)>; rel=modulepreload"
    }

  /// Some modules, and all that they import, directly or not.
  static func modules(importedBy names: [String]) -> Set<String> {
    var found: Set<String> = []
    var open = names
    while let name = open.popLast() {
      guard let file = all[name], found.insert(name).inserted else { continue }
      let lines = file.data.split(separator: UInt8(ascii: "\n"))
      for line in lines where line.starts(with: "import ".utf8) {
        let parts = String(decoding: line, as: UTF8.self).split(separator: "\"")
        if parts.count > 1 { open.append(String(parts[1].dropFirst("./".count))) }
      }
    }
    return found
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    "yaml": "application/yaml; charset=utf-8",
  ]

  init?(_ name: String, _ bytes: [UInt8]) {
    guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else { return nil }
    self.type = type
    data = Data(bytes)
  }
}
