// The name that code written for Realm Swift imports.
//
// The module decides nothing: it re-exports `AtollRealm`, which has Realm's names and forms, and
// Foundation, which Realm's module brings along on Apple's systems. A package that depends on the
// product `RealmSwift` of Atoll needs no changed line for it. Code that uses both sets of names
// imports `AtollRealm`.

@_exported public import AtollRealm
@_exported public import Foundation

/// Atoll's order of results, not Foundation's type of that name.
///
/// A file that imports Foundation besides writes `RealmSwift.SortDescriptor`, as it does for Realm.
public typealias SortDescriptor = AtollRealm.SortDescriptor

#if !canImport(ObjectiveC)
/// Calls `body`; there are no autoreleased objects on this system.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
#endif
