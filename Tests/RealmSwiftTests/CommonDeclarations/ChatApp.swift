// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class ChatUser: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted(indexed: true) var userName: String
  @Persisted var lastSeenAt: Date?
  @Persisted var presence = Presence.offline
  @Persisted(originProperty: "members") var conversations: LinkingObjects<Conversation>

  enum Presence: String, PersistableEnum {
    case onLine = "On-Line"
    case offline = "Off-Line"
    case hidden = "Hidden"
  }

  convenience init(userName: String) {
    self.init()
    self.userName = userName
  }
}

final class Conversation: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id = UUID().uuidString
  @Persisted var displayName = ""
  @Persisted var unreadCount = 0
  @Persisted var members: MutableSet<ChatUser>
  @Persisted var messages: List<ChatMessage>
}

final class ChatMessage: EmbeddedObject {
  @Persisted var text: String
  @Persisted var author: ChatUser?
  @Persisted var timestamp = Date()

  convenience init(author: ChatUser, text: String) {
    self.init()
    self.author = author
    self.text = text
  }
}

/// Shows a conversation: a view model of the main actor, whose token ends with it.
@MainActor class ChatRoomViewModel {
  private(set) var lines: [String] = []
  private(set) var title = ""
  private var token: NotificationToken?
  private var titleToken: NotificationToken?
  private let conversation: Conversation

  init(conversation: Conversation) {
    self.conversation = conversation
    token = conversation.messages.observe { [weak self] (changes: RealmCollectionChange) in
      switch changes {
      case .initial(let messages):
        self?.lines = messages.map { $0.text }
      case .update(let messages, let deletions, let insertions, _):
        deletions.reversed().forEach { self?.lines.remove(at: $0) }
        insertions.forEach { self?.lines.insert(messages[$0].text, at: $0) }
      case .error(let error):
        fatalError("\(error)")
      }
    }
    titleToken = conversation.observe(keyPaths: ["displayName"]) { [weak self] change in
      guard let self = self else { return }
      if case .change(let object, let properties) = change {
        self.title = properties.map { "\($0.name): \($0.newValue ?? "nil")" }.joined()
        self.show(object)
      }
    }
  }

  deinit {
    token?.invalidate()
    titleToken?.invalidate()
  }

  private func show(_ conversation: Conversation) { title += " (\(conversation.members.count))" }

  func send(_ text: String, from author: ChatUser) {
    guard let realm = conversation.realm else { return }
    try! realm.write {
      conversation.messages.append(ChatMessage(author: author, text: text))
      conversation.unreadCount += 1
    }
  }
}

extension CommonDeclarations {
  @MainActor @Test(.timeLimit(.minutes(1))) func `a chat that shows messages as they come`() async {
    let files = ApplicationFiles()
    let realm = try! await Realm.open(
      configuration: files.configuration([ChatUser.self, Conversation.self, ChatMessage.self]))
    let (anna, room) = (ChatUser(userName: "anna"), Conversation())
    try! realm.write {
      realm.add(anna)
      realm.add(room)
      room.members.insert(anna)
    }
    var model: ChatRoomViewModel? = ChatRoomViewModel(conversation: room)
    await wait(until: { realm.isInWriteTransaction || model?.lines == [] })
    model?.send("hello", from: anna)
    model?.send("anybody?", from: anna)
    await wait(until: { model?.lines.count == 2 })
    try! realm.write { room.displayName = "Club" }
    await wait(until: { model?.title == "displayName: Club (1)" })
    try! realm.write { room.messages.remove(at: 0) }
    await wait(until: { model?.lines == ["anybody?"] })
    #expect(anna.conversations.first?.unreadCount == 2 && anna.presence == .offline)
    #expect(anna.conversations.first?.id == room.id)
    weak let gone = model
    model = nil
    #expect(gone == nil)
  }
}
