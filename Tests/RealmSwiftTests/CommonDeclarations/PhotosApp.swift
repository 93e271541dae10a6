// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

struct PhotoSize: Equatable {
  var width: Int
  var height: Int
}

extension PhotoSize: CustomPersistable {
  typealias PersistedType = String
  init(persistedValue: String) {
    let numbers = persistedValue.split(separator: "x").compactMap { Int($0) }
    self.init(width: numbers.first ?? 0, height: numbers.last ?? 0)
  }
  var persistableValue: String { "\(width)x\(height)" }
}

class PhotoAsset: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var uuid = UUID()
  @Persisted var fileName: String
  @Persisted var size = PhotoSize(width: 0, height: 0)
  @Persisted var thumbnail: Data?
  @Persisted var metadata: Map<String, String>
  @Persisted var takenAt = Date(timeIntervalSince1970: 0)
  @Persisted(originProperty: "photos") private var albums: LinkingObjects<PhotoAlbum>

  var album: PhotoAlbum? { albums.first }
}

class PhotoAlbum: Object {
  @Persisted var albumName: String
  @Persisted var photos: List<PhotoAsset>

  @Persisted(primaryKey: true) var objectId: ObjectId

  convenience init(albumName: String, photos: [PhotoAsset] = []) {
    self.init()
    self.albumName = albumName
    self.photos.append(objectsIn: photos)
  }
}

/// Shows what was frozen, on a queue of its own.
final class PhotoGrid {
  private let queue = DispatchQueue(label: "grid")

  func names(of photos: Results<PhotoAsset>) -> [String] {
    let frozen = photos.freeze()
    return queue.sync {
      frozen.map { photo in photo.isFrozen ? photo.fileName : "live" }
    }
  }

  func rename(_ photo: PhotoAsset, to name: String) {
    let frozen = photo.isFrozen ? photo : photo.freeze()
    queue.sync {
      guard let live = frozen.thaw(), let realm = live.realm else { return }
      try! realm.write { live.fileName = name }
    }
  }
}

extension CommonDeclarations {
  @Test func `photos whose objects are frozen for other queues`() throws {
    try withDefaultRealm(of: PhotoAsset.self, PhotoAlbum.self) {
      let realm = try Realm()
      let photos = (1...3).map { number -> PhotoAsset in
        let photo = PhotoAsset()
        photo.fileName = "IMG_\(number)"
        photo.size = PhotoSize(width: 100 * number, height: 50)
        photo.thumbnail = number == 2 ? nil : Data(repeating: 7, count: number)
        photo.metadata["camera"] = number == 1 ? "phone" : "old"
        return photo
      }
      let album = PhotoAlbum(albumName: "Summer", photos: photos)
      try realm.write { realm.add(album) }
      let grid = PhotoGrid()
      let all = realm.objects(PhotoAsset.self).sorted(byKeyPath: "fileName", ascending: false)
      #expect(grid.names(of: all) == ["IMG_3", "IMG_2", "IMG_1"])
      grid.rename(photos[0], to: "Beach")
      realm.refresh()
      #expect(photos[0].fileName == "Beach" && photos[0].album?.albumName == "Summer")
      #expect(photos[2].size == PhotoSize(width: 300, height: 50))
      #expect(all.where { $0.size == PhotoSize(width: 200, height: 50) }.first == photos[1])
      #expect(all.where { $0.thumbnail == nil }.count == 1)
      #expect(all.where { $0.metadata["camera"] == "old" }.count == 2)
      let frozenAlbum = album.freeze()
      try realm.write { realm.delete(album.photos) }
      #expect(frozenAlbum.photos.count == 3 && album.photos.count == 0)
      #expect(frozenAlbum.thaw()?.photos.isEmpty == true && photos[1].isInvalidated)
    }
  }
}
