// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class GameSettings: Object {
  @Persisted(primaryKey: true) private var key = "settings"
  @Persisted var isSoundOn = true
  @Persisted private(set) var level = 1
  @Persisted fileprivate var _difficulty: String = Difficulty.normal.rawValue
  @Persisted var player: GamePlayer?

  enum Difficulty: String { case easy, normal, hard }

  /// An enum over a stored text, as models had it before enums could be stored.
  var difficulty: Difficulty {
    get { return Difficulty(rawValue: _difficulty)! }
    set { _difficulty = newValue.rawValue }
  }

  static var current: GameSettings {
    let realm = try! Realm()
    if let settings = realm.objects(GameSettings.self).first { return settings }
    let settings = GameSettings()
    try! realm.write { realm.add(settings) }
    return settings
  }

  func levelUp() {
    try! realm!.write { level += 1 }
  }
}

final class GamePlayer: Object {
  @Persisted var name: String = "Player 1"
  @Persisted var score: Int
  @Persisted var inventory: Map<String, Int>
}

/// Shows the settings, and stops when they are gone.
final class GameScene {
  private var notificationToken: NotificationToken?
  var log = [String]()

  func attach(to settings: GameSettings, on queue: DispatchQueue) {
    notificationToken = settings.observe(on: queue) { [weak self] change in
      guard let self = self else { return }
      switch change {
      case .change(_, let properties):
        for property in properties {
          if property.name == "level", let level = property.newValue as? Int {
            self.log.append("level \(property.oldValue as? Int ?? -1) to \(level)")
          } else {
            self.log.append(property.name)
          }
        }
      case .error(let error):
        self.log.append("An error occurred: \(error)")
      case .deleted:
        self.log.append("deleted")
        self.notificationToken?.invalidate()
        self.notificationToken = nil
      }
    }
  }

  var isAttached: Bool { notificationToken != nil }
}

extension CommonDeclarations {
  @Test func `a game with settings that there are once`() throws {
    try withDefaultRealm(of: GameSettings.self, GamePlayer.self) {
      let queue = DispatchQueue(label: "scene")
      let scene = GameScene()
      let settings = GameSettings.current
      #expect(settings === GameSettings.current || settings == GameSettings.current)
      queue.sync { scene.attach(to: GameSettings.current, on: queue) }
      queue.sync {}
      settings.levelUp()
      queue.sync {}
      try settings.realm?.write {
        settings.difficulty = .hard
        settings.player = GamePlayer(value: ["score": 7, "inventory": ["rope": 1]])
      }
      queue.sync {}
      #expect(scene.log.first == "level 1 to 2" && scene.log.contains("_difficulty"))
      try settings.realm?.write {
        settings.player?.score += 3
        settings.player?.inventory["rope"] = nil
        settings.player?.inventory["lamp", default: 0] += 2
      }
      #expect(GameSettings.current.player?.score == 10 && settings.difficulty == .hard)
      #expect(settings.player?.inventory.map { "\($0.key) \($0.value)" } == ["lamp 2"])
      let realm = try Realm()
      #expect(realm.objects(GameSettings.self).filter("_difficulty = 'hard'").count == 1)
      try realm.write { realm.deleteAll() }
      queue.sync {}
      #expect(scene.log.last == "deleted" && !scene.isAttached && settings.isInvalidated)
    }
  }
}
