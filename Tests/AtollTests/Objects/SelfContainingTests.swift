import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

final class Essay: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var remarks: List<ThreadReply>
  @Persisted var pinned: Map<String, ThreadReply?>
}

/// Holds its own kind in a list, and over another class in a map.
final class ThreadReply: EmbeddedObject, Codable {
  @Persisted var text: String
  @Persisted var likes: Int
  @Persisted var replies: List<ThreadReply>
  @Persisted var asides: Map<String, Aside?>

  convenience init(_ text: String, _ replies: ThreadReply...) {
    self.init()
    self.text = text
    self.replies.append(objectsIn: replies)
  }
}

final class Aside: EmbeddedObject, Codable {
  @Persisted var mood: String
  @Persisted var remarks: List<ThreadReply>
}

/// A chain of remarks, each the only reply to the one before.
private func chain(_ depth: Int) -> ThreadReply {
  (1..<depth).reduce(ThreadReply("\(depth)")) { ThreadReply("\(depth - $1)", $0) }
}

@Suite struct `issue 28.9: a class that embeds itself` {
  private static let types: [ObjectBase.Type] = [Essay.self, ThreadReply.self, Aside.self]
  private let id = UUID()
  private let first: Replica
  private let second: Replica

  init() throws {
    first = try Replica(Self.types)
    second = try Replica(Self.types)
  }

  private func text(_ remark: ThreadReply) -> String {
    let replies = remark.replies.map(text).joined(separator: ",")
    let asides = remark.asides.keys.sorted().map { key in
      key + ":" + ((remark.asides[key] ?? nil)?.remarks.map(text).joined(separator: ",") ?? "nil")
    }
    return remark.text + (replies.isEmpty ? "" : "(\(replies))")
      + (asides.isEmpty ? "" : "{\(asides.joined(separator: " "))}")
  }

  /// Two replicas that have the same remark with one reply.
  private func storesOfOneThread() throws -> (Store, Store) {
    let (a, b) = (try first.open(id), try second.open(id))
    try a.write {
      let essay = Essay(value: ["id": 1])
      essay.remarks.append(ThreadReply("a", ThreadReply("b")))
      a.add(essay)
    }
    try second.receive(from: first)
    b.refresh()
    return (a, b)
  }

  private func text(_ essay: Essay?) -> String {
    essay?.remarks.map(text).joined(separator: " ") ?? "none"
  }

  @Test func `threads of any depth are written, read, edited, frozen, copied and deleted`() throws {
    let store = try first.open(id)
    let essay = Essay()
    essay.remarks.append(ThreadReply("a", ThreadReply("b", ThreadReply("c")), ThreadReply("d")))
    essay.remarks.append(chain(5))
    try store.write { store.add(essay) }
    #expect(text(essay) == "a(b(c),d) 1(2(3(4(5))))")
    try store.write {
      let c = essay.remarks[0].replies[0].replies[0]
      c.replies.append(ThreadReply("e"))
      c.likes += 2
      let aside = Aside()
      aside.mood = "odd"
      aside.remarks.append(ThreadReply("f", ThreadReply("g")))
      c.replies[0].asides["x"] = aside
      essay.pinned["top"] = ThreadReply("p", ThreadReply("q"))
    }
    let all = "a(b(c(e{x:f(g)})),d) 1(2(3(4(5))))"
    #expect(text(essay) == all)
    let again = try first.open(id)
    let read = try #require(again.objects(Essay.self).first)
    #expect(text(read) == all)
    #expect(read.remarks[0].replies[0].replies[0].likes == 2)
    #expect((read.pinned["top"] ?? nil)?.replies.first?.text == "q")
    let frozen = essay.freeze()
    try store.write { essay.remarks[0].replies[0].replies.removeAll() }
    #expect(text(frozen) == all)
    #expect(text(essay) == "a(b,d) 1(2(3(4(5))))")
    let copy = Essay(value: [
      "id": 2, "remarks": Array(frozen.remarks.map { ThreadReply(value: $0) }),
    ])
    try store.write { store.add(copy) }
    #expect(text(copy) == all)
    try store.write { store.delete(essay) }
    #expect(try StoreFile.open(first.folder.file.path).verify() == [])
  }

  @Test func `queries go into threads, also deeper than there is anything`() throws {
    let store = try first.open(id)
    try store.write {
      let essay = Essay(value: ["id": 1])
      essay.remarks.append(ThreadReply("a", ThreadReply("b", ThreadReply("c"))))
      store.add(essay)
      store.add(Essay(value: ["id": 2]))
    }
    let essays = store.objects(Essay.self)
    func ids(_ text: String) -> [Int] { essays.filter(text).map(\.id) }
    #expect(ids("ANY remarks.text == 'a'") == [1])
    #expect(ids("ANY remarks.replies.text == 'b'") == [1])
    #expect(ids("ANY remarks.replies.replies.text == 'c'") == [1])
    #expect(ids("ANY remarks.replies.replies.replies.text == 'c'") == [])
    #expect(ids("ANY remarks.replies.replies.replies.replies.replies.text == 'c'") == [])
    #expect(ids("NONE remarks.replies.replies.replies.replies.replies.text == 'c'") == [1, 2])
    #expect(ids("ANY remarks.asides.remarks.asides.remarks.text == 'x'") == [])
    #expect(ids("SUBQUERY(remarks, $r, $r.replies.@count == 1).@count == 1") == [1])
    #expect(essays.where { $0.remarks.replies.replies.text == "c" }.map(\.id) == [1])
    #expect(essays.where { $0.remarks.replies.replies.replies.replies.likes > 0 }.isEmpty)
  }

  @Test func `replicas that write into one thread at once become equal`() throws {
    let (a, b) = try storesOfOneThread()
    try a.write {
      let b = a.objects(Essay.self)[0].remarks[0].replies[0]
      b.replies.append(chain(4))
      b.likes += 1
    }
    try b.write {
      let remark = b.objects(Essay.self)[0].remarks[0].replies[0]
      remark.replies.append(ThreadReply("x", ThreadReply("y")))
      remark.likes += 1
      let aside = Aside()
      aside.remarks.append(ThreadReply("z"))
      remark.asides["k"] = aside
    }
    try first.receive(from: second)
    try second.receive(from: first)
    for store in [a, b] {
      store.refresh()
      let remark = store.objects(Essay.self)[0].remarks[0].replies[0]
      #expect(remark.likes == 1)
      #expect(remark.replies.count == 2)
      #expect((remark.asides["k"] ?? nil)?.remarks[0].text == "z")
    }
    #expect(text(a.objects(Essay.self)[0]) == text(b.objects(Essay.self)[0]))
    try b.write { b.objects(Essay.self)[0].remarks.removeAll() }
    try first.receive(from: second)
    let files = try [first, second].map { try StoreFile.open($0.folder.file.path) }
    #expect(try files[0].digest() == files[1].digest())
    for file in files { #expect(try file.verify() == []) }
  }

  @Test func `what happens deep in a thread is told to observers of the essay and of the list`()
    async throws
  {
    let store = try first.open(id)
    let essay = Essay(value: ["id": 1])
    essay.remarks.append(ThreadReply("a", ThreadReply("b", ThreadReply("c"))))
    try store.write { store.add(essay) }
    let remark = essay.remarks[0].replies[0]
    let (paths, lists) = (Heard<[String]>(), Heard<[Int]>())
    let tokens = [
      essay.observe(keyPaths: ["remarks.replies.replies.text"], on: paths.queue) { change in
        guard case .change(_, let changes) = change else { return paths.note(["?"]) }
        paths.note(changes.map(\.name))
      },
      remark.replies.observe(on: lists.queue) { change in
        switch change {
        case .initial(let list): lists.note([list.count])
        case .update(let list, _, let insertions, let modifications):
          lists.note([
            list.isInvalidated ? 0 : list.count, insertions.count, modifications.count,
          ])
        case .error(let error): lists.note(["\(error)".count])
        }
      },
    ]
    defer { for token in tokens { token.invalidate() } }
    #expect(lists.next() == [1])
    try store.write { remark.replies[0].text = "C" }
    #expect(paths.next() == ["remarks"])
    #expect(lists.next() == [1, 0, 1])
    try store.write {
      essay.remarks[0].likes = 1
      remark.replies.append(ThreadReply("d"))
    }
    #expect(lists.next() == [2, 1, 0])
    #expect(paths.next() == ["remarks"])
    try store.write { essay.remarks.removeAll() }
    #expect(lists.next() == [0, 0, 0])
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let replica = try Replica(Self.types)
      let store = try replica.open(UUID())
      let essay = Essay(value: ["id": 1])
      essay.remarks.append(ThreadReply("a"))
      try store.write { store.add(essay) }
      _ = essay.remarks[0].observe { _ in }
    }
    #expect(said(result, "class 'ThreadReply' that is an element of a collection. Take the"))
  }

  @Test func `a reference takes a remark from deep in a thread to another store`() throws {
    let store = try first.open(id)
    let essay = Essay(value: ["id": 1])
    essay.remarks.append(ThreadReply("a", ThreadReply("b", ThreadReply("c"))))
    try store.write {
      store.add(essay)
      let aside = Aside()
      aside.remarks.append(ThreadReply("z"))
      essay.remarks[0].asides["k"] = aside
    }
    let c = essay.remarks[0].replies[0].replies[0]
    let z = try #require(essay.remarks[0].asides["k"] ?? nil).remarks[0]
    let replies = essay.remarks[0].replies[0].replies
    let references = [c, z, c].map { ThreadSafeReference(to: $0) }
    let list = ThreadSafeReference(to: replies)
    let again = try first.open(id)
    #expect(again !== store)
    #expect(again.resolve(references[0])?.text == "c")
    let other = try #require(again.resolve(references[1]))
    try again.write { other.text = "zz" }
    store.refresh()
    #expect(z.text == "zz")
    #expect(again.resolve(list)?.map(\.text) == ["c"])
    try again.write { again.objects(Essay.self)[0].remarks[0].replies.removeAll() }
    #expect(again.resolve(references[2]) == nil)
  }

  @Test func `what was lost deep in a thread is kept, and written again`() throws {
    let (a, b) = try storesOfOneThread()
    try a.write { a.objects(Essay.self)[0].remarks[0].replies[0].text = "of a" }
    // Of writes in one millisecond the replicas' ids decide which is the later.
    Thread.sleep(forTimeInterval: 0.002)
    try b.write { b.objects(Essay.self)[0].remarks[0].replies[0].text = "of b" }
    try second.receive(from: first)
    b.refresh()
    let conflict = try #require(b.conflicts.first)
    #expect(conflict.losing.value.stringValue == "of a")
    try b.write { try b.conflicts.restore(conflict) }
    #expect(b.objects(Essay.self)[0].remarks[0].replies[0].text == "of a")
    // A remark that was removed meanwhile takes what was written in it along.
    try first.receive(from: second)
    a.refresh()
    try a.write { a.objects(Essay.self)[0].remarks[0].replies.removeAll() }
    try b.write { b.objects(Essay.self)[0].remarks[0].replies[0].likes = 5 }
    try first.receive(from: second)
    try second.receive(from: first)
    for store in [a, b] {
      store.refresh()
      #expect(text(store.objects(Essay.self)[0]) == "a")
    }
    #expect(a.conflicts.contains { $0.losing.value.intValue == 5 })
  }

  @Test func `a thread as deep as the limit is written, and one deeper is refused`() async throws {
    let store = try first.open(id)
    let essay = Essay(value: ["id": 1])
    essay.remarks.append(chain(16))
    try store.write { store.add(essay) }
    try second.open(id).invalidate()
    try second.receive(from: first)
    let other = try second.open(id)
    #expect(text(other.objects(Essay.self).first) == text(essay))
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let replica = try Replica(Self.types)
      let store = try replica.open(UUID())
      let essay = Essay(value: ["id": 2])
      essay.remarks.append(chain(40))
      try store.write { store.add(essay) }
    }
    #expect(said(result, "more than the limit of 16"))
  }

  @Test func `threads are coded in JSON`() throws {
    let text =
      #"{"text":"a","likes":1,"replies":[{"text":"b","likes":0,"replies":[],"asides":{}}],"asides":{}}"#
    let remark = try JSONDecoder().decode(ThreadReply.self, from: Data(text.utf8))
    #expect(self.text(remark) == "a(b)")
    let again = try JSONDecoder().decode(ThreadReply.self, from: try JSONEncoder().encode(remark))
    #expect(self.text(again) == "a(b)")
  }
}
