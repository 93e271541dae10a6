/// The name that a person may have meant, among some.
package enum NearestName {
  /// The name with the fewest letters changed, case aside; nil if more than a third of the word's are.
  package static func of(_ word: String, among names: [String]) -> String? {
    let bound = max(1, word.count / 3)
    let near = names.map { (name: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    return near.filter { $0.distance <= bound }.min { $0.distance < $1.distance }?.name
  }

  /// Letters to insert, remove or exchange (Levenshtein); neighbours that changed places are one.
  private static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    if a.isEmpty || b.isEmpty { return a.count + b.count }
    var rows = [Array(0...b.count)]
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        let exchange = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, exchange)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
