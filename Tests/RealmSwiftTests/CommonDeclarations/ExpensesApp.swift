// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

enum ExpenseType: String, CaseIterable, PersistableEnum {
  case income
  case expense
}

class Expense: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId = ObjectId.generate()
  @Persisted var amount: Double = 0.0
  @Persisted var type: ExpenseType
  @Persisted var category: String
  @Persisted var note: String? = nil
  @Persisted var date: Date = .now
  @Persisted var currency: String = { Locale(identifier: "de_CH").currency?.identifier ?? "CHF" }()
  @Persisted var isPaid: Bool? = false
}

final class ExpenseViewModel {
  private let realm: Realm
  private(set) var expenses: Results<Expense>
  var onChange: (() -> Void)?
  private var tokens = Set<NotificationToken>()

  init(realm: Realm = try! Realm()) {
    self.realm = realm
    self.expenses = realm.objects(Expense.self).sorted(byKeyPath: "date", ascending: false)
  }

  var balance: Double {
    let income: Double = expenses.where { $0.type == .income }.sum(ofProperty: "amount")
    let spent: Double = expenses.where { $0.type == .expense }.sum(of: \.amount)
    return income - spent
  }

  var categories: [String] {
    return Array(Set(expenses.value(forKey: "category") as! [String])).sorted()
  }

  var byCategory: [String: [Expense]] { Dictionary(grouping: expenses, by: { $0.category }) }

  func expenses(from: Date, to: Date, matching text: String?) -> [Expense] {
    expenses.where {
      let inTime = $0.date >= from && $0.date <= to
      guard let text = text else { return inTime }
      return inTime && ($0.note.contains(text, options: .caseInsensitive) || $0.category == text)
    }.map { $0 }
  }

  func add(
    _ amount: Double, _ type: ExpenseType = .expense, in category: String, note: String? = nil
  ) {
    realm.beginWrite()
    let expense = Expense()
    (expense.amount, expense.type, expense.category) = (amount, type, category)
    expense.note = note
    realm.add(expense)
    do {
      try realm.commitWrite()
    } catch {
      realm.cancelWrite()
    }
    onChange?()
  }

  func togglePaid(_ expense: Expense) {
    try? realm.write { expense.isPaid?.toggle() }
  }

  deinit { tokens.forEach { $0.invalidate() } }
}

extension CommonDeclarations {
  @Test func `expenses in a view model`() {
    withDefaultRealm(of: Expense.self) {
      let model = ExpenseViewModel()
      var changes = 0
      model.onChange = { changes += 1 }
      model.add(3000, .income, in: "work")
      model.add(12.5, in: "food", note: "Lunch with Kim")
      model.add(7.5, in: "food")
      model.add(80, in: "rail", note: "GA")
      #expect(changes == 4 && model.balance == 2900)
      #expect(model.categories == ["food", "rail", "work"] && model.byCategory["food"]?.count == 2)
      #expect(model.expenses(from: .distantPast, to: .distantFuture, matching: "lunch").count == 1)
      #expect(model.expenses(from: .distantPast, to: .now, matching: nil).count == 4)
      #expect(model.expenses(from: .now, to: .distantPast, matching: "rail").isEmpty)
      let first = model.expenses.last!
      #expect(first.currency == "CHF" && first.note == nil && first.isPaid == false)
      model.togglePaid(first)
      #expect(first.isPaid == true)
      let dearest = model.expenses.where { $0.type == .expense }.sorted(by: \.amount).last
      #expect(dearest?.note == "GA" && model.expenses.distinct(by: ["category"]).count == 3)
      #expect(model.expenses.filter("amount > 5 && type = 'expense' && isPaid = NO").count == 3)
      #expect(model.expenses.average(ofProperty: "amount") as Double? == 775)
      #expect(model.expenses.filter { $0.amount > 10 }.map(\.amount).reduce(0, +) == 3092.5)
    }
  }
}
