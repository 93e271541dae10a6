// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class Movie: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var title = ""
  @Persisted var year: Int?
  @Persisted var votes: Int = 0
  @Persisted var genres: List<MovieGenre>
  @Persisted var poster: Data?

  convenience init(id: Int, title: String, year: Int?, genres: MovieGenre...) {
    self.init()
    self.id = id
    self.title = title
    self.year = year
    self.genres.append(objectsIn: genres)
  }
}

final class MovieGenre: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(originProperty: "genres") var movies: LinkingObjects<Movie>
}

extension Collection {
  subscript(safe index: Index) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Pages through whatever collection of movies it is given.
struct MoviePager {
  let movies: AnyRealmCollection<Movie>
  var pageSize = 3

  init<C: RealmCollection>(_ movies: C) where C.Element == Movie {
    self.movies = AnyRealmCollection(movies)
  }

  func page(_ number: Int) -> [Movie] {
    Array(movies.dropFirst(number * pageSize).prefix(pageSize))
  }

  func titles(from: Int, to: Int) -> [String] {
    let upper = min(to, movies.count)
    return from < upper ? movies[from..<upper].map { $0.title } : []
  }
}

final class MovieFavourites {
  let realm: Realm
  init(_ realm: Realm) { self.realm = realm }

  /// Adds if it is missing, else takes away; says which.
  func toggle(_ movie: Movie, in genre: MovieGenre) -> Bool {
    try! realm.write {
      if let index = movie.genres.index(of: genre) {
        movie.genres.remove(at: index)
        return false
      }
      movie.genres.append(genre)
      return true
    }
  }
}

extension CommonDeclarations {
  @Test func `movies in pages`() throws {
    try withDefaultRealm(of: Movie.self, MovieGenre.self) {
      let realm = try Realm()
      let drama = MovieGenre(value: ["Drama"])
      try realm.write {
        for number in stride(from: 7, to: 0, by: -1) {
          realm.add(
            Movie(
              id: number, title: "Part \(number)", year: number == 4 ? nil : 1990 + number,
              genres: drama))
        }
      }
      let movies = realm.objects(Movie.self).sorted(byKeyPath: "id")
      let pager = MoviePager(movies)
      #expect(pager.page(1).map { $0.id } == [4, 5, 6] && pager.page(2).count == 1)
      #expect(
        pager.titles(from: 5, to: 50) == ["Part 6", "Part 7"]
          && pager.titles(from: 9, to: 9).isEmpty)
      #expect(MoviePager(drama.movies).page(0).count == 3)
      #expect(movies[safe: 6]?.title == "Part 7" && movies[safe: 7] == nil)
      #expect(movies.enumerated().first { $0.element.year == nil }?.offset == 3)
      #expect(movies.firstIndex { $0.id == 5 } == 4 && movies.index(of: movies[2]) == 2)
      #expect(movies.lastIndex(where: { $0.year ?? 0 < 1995 }) == 3)
      #expect(movies.reversed().first?.id == 7 && movies.suffix(2).map(\.id) == [6, 7])
      #expect(zip(movies, movies.dropFirst()).allSatisfy { $0.id < $1.id })
      #expect(movies.lazy.filter { $0.id % 2 == 0 }.map { $0.title }.first == "Part 2")
      #expect(Array(movies[1...2]).count == 2 && movies.contains(where: { $0.title == "Part 1" }))
      #expect(
        movies.sorted(by: [SortDescriptor(keyPath: \Movie.year, ascending: false)]).last?.id == 4)
      let favourites = MovieFavourites(realm)
      #expect(!favourites.toggle(movies[0], in: drama) && favourites.toggle(movies[0], in: drama))
      #expect(!favourites.toggle(movies[1], in: drama) && drama.movies.count == 6)
      #expect(movies.where { $0.genres.count == 0 }.first?.id == 2)
      let noDrama = movies.filter("NONE genres.name == 'Drama'")
      #expect(noDrama.count == 1 && movies.filter("title LIKE '*7'").first?.id == 7)
      for movie in movies where movie.year == nil {
        try realm.write { movie.votes += 1 }
      }
      #expect(movies.sum(ofProperty: "votes") as Int == 1)
    }
  }
}
