// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class MailMessage: Object {
  @Persisted(primaryKey: true) var messageId: String
  @Persisted var subject: String
  @Persisted var from: MailAddress?
  @Persisted var to: List<MailAddress>
  @Persisted var flags: MailFlags = []
  @Persisted var headers: Map<String, AnyRealmValue>
  @Persisted var receivedAt: Date
}

final class MailAddress: EmbeddedObject {
  @Persisted var name: String?
  @Persisted var mailbox: String
  @Persisted var host: String

  var address: String { "\(mailbox)@\(host)" }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MailAddress else { return false }
    return other.address == address
  }

  override var hash: Int { address.hashValue }
}

/// Flags in a number.
struct MailFlags: OptionSet, CustomPersistable {
  let rawValue: Int
  static let seen = MailFlags(rawValue: 1)
  static let flagged = MailFlags(rawValue: 1 << 1)

  init(rawValue: Int) { self.rawValue = rawValue }
  init(persistedValue: Int) { rawValue = persistedValue }
  var persistableValue: Int { rawValue }
}

/// A service that calls back on the main queue, and that counts what the realm tells.
final class MailService {
  static var configuration = Realm.Configuration.defaultConfiguration
  private let backgroundQueue = DispatchQueue(label: "mail.background")
  private(set) var notifications = 0

  func receive(_ ids: [String], completion: @escaping (Int, Bool) -> Void) {
    backgroundQueue.async { [weak self] in
      guard self != nil else { return }
      autoreleasepool {
        let realm = try! Realm(configuration: Self.configuration)
        try! realm.write {
          ids.forEach { id in
            let message = realm.create(
              MailMessage.self, value: ["messageId": id], update: .modified)
            message.receivedAt = Date()
            message.from = MailAddress(value: [nil, "list", "example.org"] as [Any?])
          }
        }
        let count = realm.objects(MailMessage.self).count
        DispatchQueue.main.async {
          let realm = try! Realm(configuration: Self.configuration)
          realm.refresh()
          completion(realm.objects(MailMessage.self).count, count == ids.count)
        }
      }
    }
  }

  func listen(_ realm: Realm) -> NotificationToken {
    realm.observe { [weak self] notification, realm in
      guard let self = self, case .didChange = notification else { return }
      self.notifications += realm.objects(MailMessage.self).isEmpty ? 0 : 1
    }
  }
}

extension CommonDeclarations {
  @MainActor @Test(.timeLimit(.minutes(1))) func `mail that comes in the background`() async throws
  {
    let files = ApplicationFiles()
    MailService.configuration = files.configuration([MailMessage.self, MailAddress.self])
    let realm = try Realm(configuration: MailService.configuration)
    let service = MailService()
    let token = service.listen(realm)
    let (count, isAll) = await withCheckedContinuation { done in
      service.receive(["<1>", "<2>"]) { done.resume(returning: ($0, $1)) }
    }
    #expect(count == 2 && isAll)
    await wait(until: { service.notifications == 1 })
    let message = realm.objects(MailMessage.self).first!
    try realm.write {
      message.flags.insert([.seen, .flagged])
      message.flags.remove(.seen)
      message.headers["Date"] = .date(message.receivedAt)
      message.headers["Size"] = 1024
      message.headers["X-Spam"] = .bool(false)
      message.headers["Subject"] = "Hello"
      message.to.append(
        MailAddress(value: ["mailbox": "list", "host": "example.org", "name": "List"]))
    }
    #expect(message.flags == .flagged && message.from == message.to.first)
    #expect(realm.objects(MailMessage.self).where { $0.flags == .flagged }.count == 1)
    if case .int(let size) = message.headers["Size"] { #expect(size == 1024) }
    #expect(message.headers["Subject"]?.stringValue == "Hello" && message.headers.count == 4)
    #expect(message.headers["X-Spam"] == .bool(false) && message.headers["Size"] == .int(1024))
    #expect(realm.objects(MailMessage.self).filter("from.host ENDSWITH %@", ".org").count == 2)
    await wait(until: { service.notifications == 2 })
    token.invalidate()
  }
}
