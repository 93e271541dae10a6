/// Every `import`, compared with what `Package.swift` declares and with the levels of the README.
enum Imports {
  /// Modules that come with the toolchain.
  static let toolchain: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Dispatch",
    "Glibc", "Musl",
    "Darwin", "CryptoKit", "Observation", "Synchronization", "Swift", "Testing", "XCTest",
    "_Concurrency",
  ]

  /// Imports of what the target does not declare, though the compiler may find it.
  static func undeclared(_ repository: Repository) -> [Finding] {
    guard let text = repository.file("Package.swift")?.text else { return [] }
    let manifest = Manifest(text)
    return repository.files.flatMap { file -> [Finding] in
      guard file.isSwift, let target = file.target else { return [] }
      guard let declared = manifest.dependencies[target] else {
        return [
          Finding(
            file.path, "no target \(target): declare it in Package.swift, or move the file.")
        ]
      }
      return imports(of: file).compactMap { line, module in
        if declared.contains(module) || toolchain.contains(module) { return nil }
        return Finding(file.path, line: line, remedy(module, target: target, manifest))
      }
    }
  }

  /// Declared dependencies that do not go down.
  static func upward(_ repository: Repository) -> [Finding] {
    guard let text = repository.file("Package.swift")?.text else { return [] }
    let manifest = Manifest(text)
    let levels = ModuleLevels(repository.file("README.md")?.text ?? "")
    return manifest.dependencies.sorted { $0.key < $1.key }.flatMap { target, dependencies in
      dependencies.sorted().compactMap { dependency -> Finding? in
        guard let here = levels.level(of: target), let there = levels.level(of: dependency),
          here <= there, !levels.isDrawn(from: target, to: dependency)
        else { return nil }
        return Finding(
          "Package.swift",
          "\(target) (level \(here)) depends on \(dependency) (level \(there)): imports only go "
            + "down; move what both need into a module below them, or hand it over as a value.")
      }
    }
  }

  private static func remedy(_ module: String, target: String, _ manifest: Manifest) -> String {
    manifest.targets.contains(module) || manifest.products.contains(module)
      ? "`import \(module)` is not declared: add \(module) to the dependencies of \(target) in "
        + "Package.swift, if it lies below, or leave the import out."
      : "`import \(module)` is neither a target nor a declared product: declare it in "
        + "Package.swift, or add it to `Imports.toolchain` if it comes with Swift."
  }

  /// The modules a file imports, with their lines from 1.
  static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
    file.code.enumerated().compactMap { index, line in
      guard line.contains("import ") else { return nil }
      let words = line.split(separator: " ")
      guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
        words[..<keyword].allSatisfy({ attributes.contains($0) || $0.hasPrefix("@") })
      else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let"]
      let named = kinds.contains(words[keyword + 1]) ? keyword + 2 : keyword + 1
      guard named < words.count else { return nil }
      return (index + 1, String(words[named].prefix { $0 != "." && $0 != ";" }))
    }
  }

  private static let attributes: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
}
