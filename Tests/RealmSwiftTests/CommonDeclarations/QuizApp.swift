// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Quiz: Object, Codable, Identifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var title: String = ""
  @Persisted var questions = List<QuizQuestion>()
  @Persisted var level: Level = .easy
  @Persisted var highScore: Int?

  enum Level: Int, PersistableEnum, Codable {
    case easy, hard
  }

  override init() {
    super.init()
  }

  private enum CodingKeys: String, CodingKey {
    case title, questions, level
  }

  required init(from decoder: Decoder) throws {
    super.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.title = try container.decode(String.self, forKey: .title)
    self.questions =
      try container.decodeIfPresent(List<QuizQuestion>.self, forKey: .questions) ?? List()
    self.level = try container.decodeIfPresent(Level.self, forKey: .level) ?? .easy
  }
}

class QuizQuestion: EmbeddedObject, Codable {
  @Persisted var text: String
  @Persisted var answers: List<String>
  @Persisted var right = 0
  @Persisted var weights: Map<String, Double>

  func check(_ answer: String) -> Bool { answers.firstIndex(of: answer) == right }
}

protocol QuizPack {
  var title: String { get set }
  func names() -> [String]
}

extension Quiz: QuizPack {
  func names() -> [String] {
    var names: [String] = []
    for question in questions { names.append(question.text) }
    return names
  }

  func toJSON() -> String? {
    let dictionary: [String: Any] = [
      "id": id.stringValue, "title": title, "level": level.rawValue,
      "questions": questions.map { $0.text } as [String],
    ]
    let data = try? JSONSerialization.data(withJSONObject: dictionary, options: [.sortedKeys])
    return data.flatMap { String(data: $0, encoding: .utf8) }
  }
}

private let quizFile = """
  [{"title": "Rivers", "level": 1, "questions": [
     {"text": "Longest?", "answers": ["Nile", "Rhine"], "right": 0, "weights": {"slow": 0.5}},
     {"text": "In Basel?", "answers": ["Nile", "Rhine"], "right": 1, "weights": {}}]},
   {"title": "Nothing yet"}]
  """

extension CommonDeclarations {
  @Test func `quizzes decoded in an array`() throws {
    try withDefaultRealm(of: Quiz.self, QuizQuestion.self) {
      let quizzes = try JSONDecoder().decode([Quiz].self, from: quizFile.data(using: .utf8)!)
      let realm = try Realm()
      try realm.write { realm.add(quizzes) }
      let rivers = realm.objects(Quiz.self).first { $0.level == .hard }
      #expect(rivers?.questions.map { $0.check("Nile") } == [true, false])
      #expect(rivers?.questions[0].weights["slow"] == 0.5)
      #expect(rivers?.names().joined() == "Longest?In Basel?")
      #expect(rivers?.toJSON()?.hasSuffix(#""title":"Rivers"}"#) == true)
      #expect(rivers?.questions.shuffled().count == 2 && rivers?.questions.randomElement() != nil)
      #expect(rivers?.id == realm.objects(Quiz.self).where { $0.questions.right == 1 }.first?.id)
      try realm.write { rivers?.highScore = max(rivers?.highScore ?? 0, 40) }
      #expect(realm.objects(Quiz.self).filter("highScore != nil").count == 1)
      #expect(realm.objects(Quiz.self).filter("level == %d", Quiz.Level.hard.rawValue).count == 1)
      let packs: [QuizPack] = Array(realm.objects(Quiz.self).sorted(byKeyPath: "title"))
      #expect(packs.map(\.title) == ["Nothing yet", "Rivers"])
      let coded = try JSONEncoder().encode(Quiz(value: ["title": "New", "level": 1]))
      #expect(String(decoding: coded, as: UTF8.self).contains(#""questions":[]"#))
    }
  }
}
