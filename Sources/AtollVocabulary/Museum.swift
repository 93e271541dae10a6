/// Bugs that other systems had, and the guards that keep Atoll from having them.
///
/// Each has a test with its name, and the place in Atoll that keeps it away asks ``stands(_:)``. A build
/// with the flag `ATOLL_MUSEUM` can take one guard away, and then its test must fail; that is what
/// `.ci/museum` checks. In every other build the question is answered by the compiler.
package enum Museum {
  /// A bug, by the project and the number under which it was reported.
  package enum Exhibit: String, CaseIterable, Sendable {
    case crSQLite413 = "cr-sqlite #413"
    case crSQLite98 = "cr-sqlite #30, #98"
    case crSQLite247 = "cr-sqlite #247"
    case ade403 = "ADE #403"
    case corrosion352 = "Corrosion #352"
    case corrosion261 = "Corrosion #261"
    case corrosion2 = "Corrosion #2"
    case turso8129 = "Turso #8129"
    case harmony79 = "Harmony #79"
    case sqliteData418 = "SQLiteData #418"
    case sqliteData547 = "SQLiteData #547"
    case sqliteData432 = "SQLiteData #432"
    case mps37 = "mps3 #37"
    case nurl169 = "nurl #169"
    case yjs741 = "Yjs #741"
  }

  #if ATOLL_MUSEUM
    /// The guard that is gone; set once, before anything else runs.
    nonisolated(unsafe) package static var removed: Exhibit?

    package static func stands(_ exhibit: Exhibit) -> Bool { removed != exhibit }
  #else
    /// Whether the guard against a bug is in its place.
    @inlinable package static func stands(_ exhibit: Exhibit) -> Bool { true }
  #endif
}
