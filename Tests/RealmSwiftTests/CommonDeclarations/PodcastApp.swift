// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class PodcastFeed: Object, ObjectKeyIdentifiable, Codable {
  @Persisted(primaryKey: true) var feedID: Int
  @Persisted var title: String
  @Persisted var author: String?
  @Persisted var episodes: List<PodcastEpisode>
  @Persisted var genres: List<String>

  enum CodingKeys: String, CodingKey {
    case feedID = "feed_id"
    case title, author, episodes, genres
  }
}

final class PodcastEpisode: Object, ObjectKeyIdentifiable, Codable {
  @Persisted(primaryKey: true) var guid: String
  @Persisted var title: String
  @Persisted var duration: Double
  @Persisted var published: Date
  @Persisted var kind: Kind = .full
  @Persisted var played = false
  @Persisted(originProperty: "episodes") var feeds: LinkingObjects<PodcastFeed>

  enum Kind: String, Codable, PersistableEnum {
    case full, trailer, bonus
  }

  private enum CodingKeys: String, CodingKey {
    case guid, title, published, kind
    case duration = "length_seconds"
  }

  override init() { super.init() }

  required convenience init(from decoder: Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guid = try container.decode(String.self, forKey: .guid)
    title = try container.decode(String.self, forKey: .title)
    duration = try container.decodeIfPresent(Double.self, forKey: .duration) ?? 0
    published = try container.decode(Date.self, forKey: .published)
    kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .full
  }

  func encode(to encoder: Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(guid, forKey: .guid)
    try container.encode(title, forKey: .title)
    try container.encode(published, forKey: .published)
    try container.encode(kind, forKey: .kind)
  }
}

private let podcastResponse = """
  {"feed_id": 7, "title": "Slow Radio", "genres": ["talk", "nature"], "author": null, "episodes": [
    {"guid": "a", "title": "Rain", "length_seconds": 1800.5, "published": 700000000},
    {"guid": "b", "title": "Hello", "published": 690000000, "kind": "trailer"}]}
  """

extension CommonDeclarations {
  @Test func `podcasts decoded from a server's response`() throws {
    try withDefaultRealm(of: PodcastFeed.self, PodcastEpisode.self) {
      let feed = try JSONDecoder().decode(PodcastFeed.self, from: Data(podcastResponse.utf8))
      let realm = try Realm()
      try realm.write { realm.add(feed, update: .modified) }
      try realm.write {
        let rain = realm.object(ofType: PodcastEpisode.self, forPrimaryKey: "a")
        rain?.played = true
      }
      // The same response again overwrites what the server knows, and what it does not know too.
      let again = try JSONDecoder().decode(PodcastFeed.self, from: Data(podcastResponse.utf8))
      try realm.write { realm.add([again], update: .modified) }
      #expect(realm.objects(PodcastEpisode.self).count == 2 && feed.author == nil)
      let longest = realm.objects(PodcastEpisode.self).sorted(byKeyPath: "duration").last
      #expect(longest?.title == "Rain" && longest?.feeds.first?.title == "Slow Radio")
      #expect(longest?.played == false)
      #expect(feed.episodes.filter("kind == 'trailer'").map { $0.guid } == ["b"])
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      // Synthesized encoding wants an object that no realm manages.
      let text = String(decoding: try encoder.encode(PodcastFeed(value: feed)), as: UTF8.self)
      #expect(text.hasPrefix(#"{"author":null,"episodes":[{"guid":"a","kind":"full","publ"#))
      #expect(text.hasSuffix(#""feed_id":7,"genres":["talk","nature"],"title":"Slow Radio"}"#))
      let ids: [Int] = realm.objects(PodcastFeed.self).compactMap { $0.feedID }
      #expect(ids == [7])
    }
  }
}
