import Foundation
import RealmSwift
import TestKit
import Testing

/// Models and their data access, declared in the ways of applications that use Realm Swift.
///
/// Each file of this folder is one application: its words are ours, its forms are those of public
/// code, and it says `import RealmSwift` as that code does. The target is compiled in Swift's language
/// mode 5, as most of it is. Left out are `@objc dynamic` properties, which do not exist on Linux, and
/// what the page 'Coming from Realm' says is left out.
@Suite(.serialized) struct CommonDeclarations {}

/// The files of one application, in a folder that goes with it.
struct ApplicationFiles {
  let folder = TemporaryFolder()

  func configuration(_ types: [ObjectBase.Type]) -> Realm.Configuration {
    Realm.Configuration(fileURL: folder.file("default.realm"), objectTypes: types)
  }
}

/// One test at a time has a default configuration of its own.
private let defaultConfigurationLock = NSRecursiveLock()

/// Makes a configuration the default one meanwhile.
func withDefault<R>(_ configuration: Realm.Configuration, _ body: () throws -> R) rethrows -> R {
  try defaultConfigurationLock.withLock {
    let former = Realm.Configuration.defaultConfiguration
    Realm.Configuration.defaultConfiguration = configuration
    defer { Realm.Configuration.defaultConfiguration = former }
    return try body()
  }
}

/// Makes a store of these classes the one that `Realm()` opens, in a folder of its own.
func withDefaultRealm<R>(of types: ObjectBase.Type..., body: () throws -> R) rethrows -> R {
  let files = ApplicationFiles()
  return try withDefault(files.configuration(types), body)
}

/// Waits until something is so; the test's time limit ends it.
@MainActor func wait(until condition: () -> Bool) async {
  while !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}
