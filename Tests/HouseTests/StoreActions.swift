/// The actions that an engine asks of its store: performed in one place, for node, simulation and tests.
enum StoreActions {
  static let declaration = "Sources/AtollReplication/StoreAction.swift"
  /// The files that change with each new action, besides its event's and the engine's.
  static let naming: Set<String> = [declaration, "Sources/AtollReplication/ActionPerformer.swift"]

  /// Files that name every action, as a switch over all of them has to.
  static func check(_ repository: Repository) -> [Finding] {
    guard let file = repository.file(declaration) else { return [] }
    let names = names(file)
    let found = repository.files.filter { file in
      file.path.hasPrefix("Sources/")
        && names.allSatisfy { name in
          file.code.contains { Words.contains(".\(name)", in: $0) }
        }
    }.map(\.path)
    return found.filter { !naming.contains($0) }.map {
      Finding(
        $0,
        "it goes through every `StoreAction`, so that a new one changes it too: have "
          + "`ActionPerformer` perform them, and add what is special to one with `if case`.")
    }
      + naming.subtracting(found).sorted().map {
        Finding($0, "it does not name every `StoreAction`: take it off `StoreActions.naming`.")
      }
  }

  /// The cases of the enum: declared two columns in.
  private static func names(_ file: SourceFile) -> [String] {
    file.code.compactMap { line in
      line.firstMatch(of: /^  case (\w+)/).map { String($0.1) }
    }
  }
}
