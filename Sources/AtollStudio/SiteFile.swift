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

  /// The modules of the site, in the form of the header `Link`.
  static let modules = all.keys.filter { $0.hasSuffix(".js") }.sorted()
    .map { "</\($0)>; rel=modulepreload" }.joined(separator: ", ")

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
