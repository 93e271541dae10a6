import AtollRealm
import Foundation
import TestKit

extension TemporaryFolder {
  func configuration(_ types: [ObjectBase.Type]) -> Realm.Configuration {
    Realm.Configuration(fileURL: file("default.atoll"), objectTypes: types)
  }
}
