// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Track: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var title: String
  @Persisted var seconds: Int = 0
  @Persisted var artist: Artist?
  @Persisted(originProperty: "tracks") var playlists: LinkingObjects<Playlist>

  convenience init(_ title: String, by artist: Artist?, seconds: Int = 180) {
    self.init()
    self.title = title
    self.artist = artist
    self.seconds = seconds
  }
}

class Artist: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted(originProperty: "artist") var tracks: LinkingObjects<Track>
}

class Playlist: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name = "New list"
  @Persisted var tracks = RealmSwift.List<Track>()

  var length: Int { tracks.sum(ofProperty: "seconds") }
}

/// The properties of a track on a screen.
class TrackTitle: Projection<Track> {
  @Projected(\Track.title) var title
  @Projected(\Track.artist?.name) var artist
}

extension Results {
  var list: RealmSwift.List<Element> {
    reduce(.init()) { list, element in
      list.append(element)
      return list
    }
  }
}

extension Realm {
  /// Writes what another thread has, on a thread of its own.
  func writeElsewhere<T: ThreadConfined>(
    obj: T, errorHandler: @escaping ((_ error: Swift.Error) -> Void) = { _ in return },
    block: @escaping ((Realm, T?) -> Void)
  ) {
    let wrappedObj = ThreadSafeReference(to: obj)
    let config = self.configuration
    let group = DispatchGroup()
    DispatchQueue(label: "background").async(group: group) {
      autoreleasepool {
        do {
          let realm = try Realm(configuration: config)
          let obj = realm.resolve(wrappedObj)
          try realm.write { block(realm, obj) }
        } catch {
          errorHandler(error)
        }
      }
    }
    group.wait()
    refresh()
  }
}

extension CommonDeclarations {
  @Test func `music with playlists that are moved around`() throws {
    try withDefaultRealm(of: Track.self, Artist.self, Playlist.self) {
      let realm = try Realm()
      let artist = Artist(value: ["name": "The Waves"])
      let names = ["Foam", "Ebb", "Flow", "Spring Tide"]
      let playlist = Playlist()
      playlist.tracks.append(objectsIn: names.map { Track($0, by: artist) })
      try realm.write { realm.add(playlist) }
      try realm.write {
        playlist.tracks.move(from: 0, to: 2)
        playlist.tracks.remove(atOffsets: IndexSet(integer: 3))
        playlist.tracks.move(fromOffsets: [2], toOffset: 0)
      }
      #expect(playlist.tracks.map(\.title) == ["Foam", "Ebb", "Flow"])
      #expect(playlist.length == 540 && artist.tracks.count == 4)
      #expect(playlist.tracks.first?.playlists.first?.id == playlist.id)
      let copied = realm.objects(Track.self).filter("playlists.@count == 0").list
      #expect(copied.realm == nil && copied.count == 1 && copied[0].title == "Spring Tide")
      let titles = realm.objects(TrackTitle.self).sorted(by: \.title, ascending: false)
      #expect(titles.map { "\($0.title) by \($0.artist ?? "?")" }.last == "Ebb by The Waves")
      realm.writeElsewhere(obj: playlist) { realm, playlist in
        playlist?.name = "Sea"
        realm.create(Artist.self, value: ["Nobody"])
      }
      realm.writeElsewhere(obj: playlist.tracks) { _, tracks in tracks?.first?.seconds = 60 }
      #expect(playlist.name == "Sea" && playlist.length == 420)
      #expect(realm.objects(Artist.self).contains { $0.name == "Nobody" && $0.tracks.isEmpty })
    }
  }
}
