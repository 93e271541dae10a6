import Atoll
import AtollVocabulary
import Foundation

// Queries over plain Swift values, evaluated the slow and obvious way: what the file must agree with.

struct PlainWare {
  var id: Int
  var name: String
  var note: String?
  var amount: Int
  var rating: Int?
  var weight: Double
  var isNew: Bool
  var label: String
  var spot: Spot
}

struct PlainShelf {
  var id: Int
  var title: String
  var best: PlainWare?
  var wares: [PlainWare]
  var numbers: [Int]
  var gaps: [Int?]
  var words: [String]
}

enum Sign: CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// Two-valued: nil equals nil, and has no order.
  func holds<T: Comparable>(_ a: T?, _ b: T?) -> Bool {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a.flatMap { a in b.map { a < $0 } } ?? false
    case .lessOrEqual: a.flatMap { a in b.map { a <= $0 } } ?? false
    case .greater: a.flatMap { a in b.map { a > $0 } } ?? false
    case .greaterOrEqual: a.flatMap { a in b.map { a >= $0 } } ?? false
    }
  }

  func query<T: _PropertyValue>(_ a: Query<T>, _ b: T) -> Query<Bool>
  where T.PersistedType: _Ordered {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

enum Search: CaseIterable {
  case contains, starts, ends, like

  var text: String {
    switch self {
    case .contains: "CONTAINS"
    case .starts: "BEGINSWITH"
    case .ends: "ENDSWITH"
    case .like: "LIKE"
    }
  }
}

/// A condition on a shelf.
indirect enum Condition {
  case id(Sign, Int)
  case title(Search, String, ignoresCase: Bool)
  case bestRating(Sign, Int?)
  case bestNote(Sign, String?)
  case number(Sign, Int)
  case noGap(Sign, Int?)
  case wareAmount(Sign, Int)
  case wareWeight(Sign, Double)
  case wareNote(Search, String, ignoresCase: Bool)
  case wareSpot(Spot, isEqual: Bool)
  case warePlaces([Int?])
  case count(Sign, Int)
  case greatest(Sign, Int)
  case sum(Sign, Int)
  case average(Sign, Double)
  case allNumbers(Int, Int, isClosed: Bool)
  case both(Sign, Int, Bool, Sign, Int)
  case wareOfShelf
  case and([Condition])
  case or([Condition])
  case not(Condition)
}

// MARK: - Reference

extension Condition {
  func holds(_ shelf: PlainShelf) -> Bool {
    switch self {
    case .id(let sign, let value): sign.holds(shelf.id, value)
    case .title(let search, let text, let fold): search.holds(shelf.title, text, fold)
    case .bestRating(let sign, let value): sign.holds(shelf.best?.rating, value)
    case .bestNote(let sign, let value): sign.holds(shelf.best?.note, value)
    case .number(let sign, let value): shelf.numbers.contains { sign.holds($0, value) }
    case .noGap(let sign, let value): !shelf.gaps.contains { sign.holds($0, value) }
    case .wareAmount(let sign, let value): shelf.wares.contains { sign.holds($0.amount, value) }
    case .wareWeight(let sign, let value): shelf.wares.contains { sign.holds($0.weight, value) }
    case .wareNote(let search, let text, let fold):
      shelf.wares.contains { ware in ware.note.map { search.holds($0, text, fold) } ?? false }
    case .wareSpot(let spot, true): shelf.wares.contains { $0.spot == spot }
    case .wareSpot(let spot, false):
      !shelf.wares.isEmpty && !shelf.wares.contains { $0.spot == spot }
    case .warePlaces(let values): shelf.wares.contains { values.contains($0.rating) }
    case .count(let sign, let value): sign.holds(shelf.wares.count, value)
    case .greatest(let sign, let value): sign.holds(shelf.wares.map(\.amount).max(), value)
    case .sum(let sign, let value): sign.holds(shelf.numbers.reduce(0, +), value)
    case .average(let sign, let value):
      sign.holds(
        shelf.numbers.isEmpty
          ? nil : Double(shelf.numbers.reduce(0, +)) / Double(shelf.numbers.count), value)
    case .allNumbers(let low, let high, let isClosed):
      !shelf.numbers.isEmpty
        && shelf.numbers.allSatisfy { $0 >= low && (isClosed ? $0 <= high : $0 < high) }
    case .both(let first, let amount, let isNew, let second, let count):
      second.holds(
        shelf.wares.filter { first.holds($0.amount, amount) && $0.isNew == isNew }.count, count)
    case .wareOfShelf: shelf.wares.contains { $0.id == shelf.id }
    case .and(let parts): parts.allSatisfy { $0.holds(shelf) }
    case .or(let parts): parts.contains { $0.holds(shelf) }
    case .not(let part): !part.holds(shelf)
    }
  }
}

extension Search {
  fileprivate func holds(_ text: String, _ part: String, _ ignoresCase: Bool) -> Bool {
    let a = Array((ignoresCase ? text.uppercased().lowercased() : text).unicodeScalars)
    let b = Array((ignoresCase ? part.uppercased().lowercased() : part).unicodeScalars)
    switch self {
    case .contains: return !b.isEmpty && a.indices.contains { a[$0...].starts(with: b) }
    case .starts: return !b.isEmpty && a.starts(with: b)
    case .ends: return !b.isEmpty && a.reversed().starts(with: b.reversed())
    case .like: return Search.isLike(a[...], b[...])
    }
  }

  private static func isLike(
    _ a: ArraySlice<Unicode.Scalar>, _ b: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = b.first else { return a.isEmpty }
    if first == "*" { return isLike(a, b.dropFirst()) || !a.isEmpty && isLike(a.dropFirst(), b) }
    guard let next = a.first, first == "?" || first == next else { return false }
    return isLike(a.dropFirst(), b.dropFirst())
  }
}

// MARK: - Type-safe

extension Condition {
  func query(_ shelf: Query<Shelf>) -> Query<Bool> {
    switch self {
    case .id(let sign, let value): sign.query(shelf.id, value)
    case .title(let search, let text, let fold): search.query(shelf.title, text, fold)
    case .bestRating(let sign, let value): sign.query(shelf.best.rating, value)
    case .bestNote(let sign, let value): sign.query(shelf.best.note, value)
    case .number(let sign, let value): sign.query(shelf.numbers, value)
    case .noGap(let sign, let value): !sign.query(shelf.gaps, value)
    case .wareAmount(let sign, let value): sign.query(shelf.wares.amount, value)
    case .wareWeight(let sign, let value): sign.query(shelf.wares.weight, value)
    case .wareNote(let search, let text, let fold): search.query(shelf.wares.note, text, fold)
    case .wareSpot(let spot, let isEqual):
      isEqual ? shelf.wares.spot == spot : shelf.wares.spot != spot
    case .warePlaces(let values): shelf.wares.rating.in(values)
    case .count(let sign, let value): sign.query(shelf.wares.count, value)
    case .greatest(let sign, let value): sign.query(shelf.wares.amount.max, value)
    case .sum(let sign, let value): sign.query(shelf.numbers.sum, value)
    case .average(let sign, let value): sign.query(shelf.numbers.avg, value)
    case .allNumbers(let low, let high, let isClosed):
      isClosed ? shelf.numbers.contains(low...high) : shelf.numbers.contains(low..<high)
    case .both(let first, let amount, let isNew, let second, let count):
      second.query(
        (first.query(shelf.wares.amount, amount) && shelf.wares.isNew == isNew).count, count)
    case .wareOfShelf: shelf.wares.id == shelf.id
    case .and(let parts): parts.dropFirst().reduce(parts[0].query(shelf)) { $0 && $1.query(shelf) }
    case .or(let parts): parts.dropFirst().reduce(parts[0].query(shelf)) { $0 || $1.query(shelf) }
    case .not(let part): !part.query(shelf)
    }
  }
}

extension Sign {
  fileprivate func query<T: _QueryCollection>(_ a: Query<T>, _ b: T._Member) -> Query<Bool>
  where T._Member: _PropertyValue & _ListElement, T._Member.PersistedType: _Ordered {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

extension Search {
  fileprivate func query<T: _PropertyValue>(
    _ a: Query<T>, _ text: T, _ ignoresCase: Bool
  ) -> Query<Bool> where T.PersistedType: _TextSearchable {
    let options: StringOptions = ignoresCase ? .caseInsensitive : []
    return switch self {
    case .contains: a.contains(text, options: options)
    case .starts: a.starts(with: text, options: options)
    case .ends: a.ends(with: text, options: options)
    case .like: a.like(text, caseInsensitive: ignoresCase)
    }
  }
}

// MARK: - Text

extension Condition {
  /// The text, with its arguments appended to `arguments`.
  func text(_ arguments: inout [Any?]) -> String {
    func argument(_ value: Any?) -> String {
      arguments.append(value)
      return "%@"
    }
    func sign(_ fold: Bool) -> String { fold ? "[c]" : "" }
    switch self {
    case .id(let sign, let value): return "id \(sign.text) \(value)"
    case .title(let search, let text, let fold):
      return "title \(search.text)\(sign(fold)) \(argument(text))"
    case .bestRating(let sign, let value): return "best.rating \(sign.text) \(argument(value))"
    case .bestNote(let sign, let value): return "best.note \(sign.text) \(argument(value))"
    case .number(let sign, let value): return "ANY numbers \(sign.text) \(value)"
    case .noGap(let sign, let value): return "NONE gaps \(sign.text) \(argument(value))"
    case .wareAmount(let sign, let value): return "ANY wares.amount \(sign.text) \(value)"
    case .wareWeight(let sign, let value): return "ANY wares.weight \(sign.text) \(argument(value))"
    case .wareNote(let search, let text, let fold):
      return "ANY wares.note \(search.text)\(sign(fold)) \(argument(text))"
    case .wareSpot(let spot, let isEqual):
      return "ANY wares.spot \(isEqual ? "==" : "!=") \(argument(spot))"
    case .warePlaces(let values): return "ANY wares.rating IN \(argument(values))"
    case .count(let sign, let value): return "wares.@count \(sign.text) \(value)"
    case .greatest(let sign, let value): return "wares.@max.amount \(sign.text) \(value)"
    case .sum(let sign, let value): return "numbers.@sum \(sign.text) \(value)"
    case .average(let sign, let value): return "numbers.@avg \(sign.text) \(argument(value))"
    case .allNumbers(let low, let high, let isClosed):
      return "(numbers.@min >= \(low) AND numbers.@max \(isClosed ? "<=" : "<") \(high))"
    case .both(let first, let amount, let isNew, let second, let count):
      return "SUBQUERY(wares, $w, $w.amount \(first.text) \(amount) AND $w.isNew == "
        + "\(isNew ? "YES" : "NO")).@count \(second.text) \(count)"
    case .wareOfShelf: return "ANY wares.id == id"
    case .and(let parts):
      return "(" + parts.map { $0.text(&arguments) }.joined(separator: " AND ") + ")"
    case .or(let parts):
      return "(" + parts.map { $0.text(&arguments) }.joined(separator: " OR ") + ")"
    case .not(let part): return "NOT (\(part.text(&arguments)))"
    }
  }
}
