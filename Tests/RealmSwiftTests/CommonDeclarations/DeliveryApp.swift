// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Parcel: Object {
  @Persisted(primaryKey: true) var code: String
  @Persisted var weight: Float
  @Persisted var state: Int8 = 0
  @Persisted var driver: Driver?
  @Persisted var signature: Data?
  @Persisted var route: List<ObjectId>
}

class Driver: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var name: String
  @Persisted(originProperty: "driver") var parcels: LinkingObjects<Parcel>
}

/// Generic work in the background, with a callback on the queue that asked.
enum ParcelWorker {
  static func update<T: Object>(
    _ type: T.Type, key: Any, in configuration: Realm.Configuration,
    block: @escaping (T) -> Void, completion: @escaping (Error?) -> Void
  ) {
    let queue = DispatchQueue.global(qos: .userInitiated)
    queue.async {
      do {
        let realm = try Realm(configuration: configuration)
        guard let object = realm.object(ofType: type, forPrimaryKey: key) else {
          throw Realm.Error(.fail)
        }
        try realm.write { block(object) }
        DispatchQueue.main.async { completion(nil) }
      } catch {
        DispatchQueue.main.async { completion(error) }
      }
    }
  }

  static func count(@ThreadSafe of parcel: Parcel?, then: @escaping (Int) -> Void) {
    Thread.detachNewThread { [_parcel] in
      then(_parcel.wrappedValue?.driver?.parcels.count ?? 0)
    }
  }

  static func open(
    _ configuration: Realm.Configuration, done: @escaping (Result<Realm, Error>) -> Void
  ) {
    Realm.asyncOpen(configuration: configuration) { result in
      done(result)
    }
  }
}

extension CommonDeclarations {
  @MainActor @Test(.timeLimit(.minutes(1)))
  func `parcels that other threads deliver`() async throws {
    let files = ApplicationFiles()
    let configuration = files.configuration([Parcel.self, Driver.self])
    await withCheckedContinuation { done in
      ParcelWorker.open(configuration) { result in
        if case .success(let realm) = result { #expect(realm.isEmpty) }
        done.resume()
      }
    }
    let realm = try Realm(configuration: configuration)
    let driver = Driver(value: ["id": UUID(), "name": "Dan"])
    try realm.write {
      realm.add([
        Parcel(value: ["code": "P1", "weight": 1.5, "driver": driver]), Parcel(value: ["P2", 2]),
      ])
    }
    let failure: Error? = await withCheckedContinuation { done in
      ParcelWorker.update(
        Parcel.self, key: "P2", in: configuration,
        block: { parcel in
          parcel.state += 1
          parcel.driver = parcel.realm?.objects(Driver.self).first
          parcel.route.append(objectsIn: [.generate(), ObjectId("0123456789abcdef01234567")])
        }, completion: { done.resume(returning: $0) })
    }
    #expect(failure == nil)
    let missing: Error? = await withCheckedContinuation { done in
      ParcelWorker.update(
        Driver.self, key: UUID(), in: configuration, block: { $0.name = "" },
        completion: { done.resume(returning: $0) })
    }
    if let error = missing as? Realm.Error {
      #expect(error.code == .fail)
    } else {
      Issue.record("none")
    }
    realm.refresh()
    let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: "P2"))
    #expect(parcel.state == 1 && parcel.route.count == 2 && driver.parcels.count == 2)
    let count = await withCheckedContinuation { done in
      ParcelWorker.count(of: parcel) { done.resume(returning: $0) }
    }
    #expect(count == 2)
    let known = try ObjectId(string: "0123456789abcdef01234567")
    #expect(parcel.route.contains(known) && parcel.route.index(of: known) == 1)
    #expect(realm.objects(Parcel.self).filter("ANY route == %@", known).count == 1)
    #expect(
      realm.objects(Parcel.self).where { $0.driver.id == driver.id && $0.weight > 1.6 }.count == 1)
    #expect(realm.objects(Parcel.self).filter("driver.id == %@", driver.id).count == 2)
    #expect(realm.objects(Parcel.self).sum(ofProperty: "weight") as Float == 3.5)
  }
}
