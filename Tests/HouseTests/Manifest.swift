import Foundation

/// The declarations of `Package.swift`, read from its text.
struct Manifest: Sendable {
  /// The modules each target may import, by target; also those that depend on a condition.
  let dependencies: [String: Set<String>]
  /// The modules of other packages.
  let products: Set<String>

  init(_ text: String) {
    let (products, targets) = (
      Manifest.names(of: "product", text), Manifest.names(of: "target", text)
    )
    self.products = Set(products.values)
    let names = products.merging(targets) { $1 }
    var dependencies: [String: Set<String>] = [:]
    for declaration in Manifest.declarations(text) {
      dependencies[declaration.name] = Manifest.modules(in: declaration.list, names)
    }
    self.dependencies = dependencies
  }

  var targets: Set<String> { Set(dependencies.keys) }

  /// The variables that stand for a dependency: `let logging = Target.Dependency.product(name: "…`.
  private static func names(of kind: String, _ text: String) -> [String: String] {
    let pattern = /let (\w+) = Target\.Dependency\.(\w+)\(\s*name: "(\w+)"/
    return Dictionary(
      text.matches(of: pattern).filter { $0.2 == kind }.map { (String($0.1), String($0.3)) },
      uniquingKeysWith: { $1 })
  }

  /// `module("AtollWire", [ … ])` and its sisters, up to the bracket that closes the list.
  private static func declarations(_ text: String) -> [(name: String, list: Substring)] {
    let pattern = /(?:module|executable|tests|system|\.target)\(\s*(?:name: )?"(\w+)"/
    return text.matches(of: pattern).map { match in
      let rest = text[match.range.upperBound...]
      let head = rest.prefix { $0 != ")" }
      guard let open = head.firstIndex(of: "[") else { return (String(match.1), rest.prefix(0)) }
      return (String(match.1), head[head.index(after: open)...].prefix { $0 != "]" })
    }
  }

  /// The strings of a list, and the products its variables stand for.
  private static func modules(in list: Substring, _ names: [String: String]) -> Set<String> {
    Set(
      list.split(separator: ",").compactMap { item in
        let word = item.trimmingCharacters(in: .whitespacesAndNewlines)
        guard word.hasPrefix("\"") else { return names[word] }
        return word.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
      })
  }
}
