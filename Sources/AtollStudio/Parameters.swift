/// The parameters of a request, checked.
struct Parameters {
  let query: [String: String]

  func text(_ name: String, upTo limit: Int = 2000) throws(Refusal) -> String? {
    guard let text = query[name] else { return nil }
    guard text.utf8.count <= limit else {
      throw Refusal(
        "The parameter `\(name)` has \(text.utf8.count) bytes, expected at most \(limit).")
    }
    return text
  }

  func needed(_ name: String, upTo limit: Int = 2000) throws(Refusal) -> String {
    guard let text = try text(name, upTo: limit) else {
      throw Refusal("The parameter `\(name)` is missing.")
    }
    return text
  }

  /// A whole number within a range; nil if it is not given.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Refusal(
        "The parameter `\(name)` is \"\(text.prefix(40))\", expected a whole number from "
          + "\(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func flag(_ name: String) throws(Refusal) -> Bool {
    switch query[name] {
    case nil, "false": return false
    case "true": return true
    case .some(let text):
      throw Refusal("The parameter `\(name)` is \"\(text.prefix(40))\", expected true or false.")
    }
  }
}
