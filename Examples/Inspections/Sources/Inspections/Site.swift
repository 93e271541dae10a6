import Foundation
import HTTPTypes
import Hummingbird
import InspectionModel

/// The requests of the browser, and their answers.
struct Site {
  private let book: InspectionBook

  init(_ book: InspectionBook) { self.book = book }

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: OwnPagesOnly())
    router.get("/") { _, _ in HTML.list(try await book.all(), try await book.conflicts()) }
    router.get("/inspection") { request, _ in HTML.page(of: try await report(request)) }
    router.get("/api/inspections") { _, _ in try await book.all().map { $0 } }
    router.get("/api/conflicts") { _, _ in try await book.conflicts().map { $0 } }
    addForms(to: router)
    return router
  }

  /// Each form changes one thing and shows the page again.
  private func addForms(to router: Router<BasicRequestContext>) {
    let book = book
    form(router, "/inspections", ["code", "title"]) { _, form in
      try await book.begin(form["code"] ?? "", title: form["title"] ?? "")
      return Self.path(of: form["code"] ?? "")
    }
    form(router, "/inspection/title", ["title"]) { code, form in
      try await book.rename(code, to: form["title"] ?? "")
      return nil
    }
    form(router, "/inspection/check", ["item"]) { code, form in
      try await book.check(code, item: Int(form["item"] ?? "") ?? -1, isDone: form["done"] != nil)
      return nil
    }
    form(router, "/inspection/defects", []) { code, _ in
      try await book.countDefects(code, 1)
      return nil
    }
    form(router, "/inspection/tags", ["tag"]) { code, form in
      try await book.tag(code, form["tag"] ?? "")
      return nil
    }
    form(router, "/inspection/fields", ["field", "value"]) { code, form in
      try await book.note(code, form["field"] ?? "", FieldValue(typed: form["value"] ?? ""))
      return nil
    }
    form(router, "/conflicts", ["id"]) { _, form in
      try await book.restore(conflict: Int64(form["id"] ?? "") ?? -1)
      return "/"
    }
  }

  /// Takes a form whose `wanted` fields are not empty.
  ///
  /// `change` gets the code of the address and the fields. It returns where to go on; nil for the
  /// inspection's page.
  private func form(
    _ router: Router<BasicRequestContext>, _ path: RouterPath, _ wanted: [String],
    _ change: @escaping @Sendable (String, [String: String]) async throws -> String?
  ) {
    router.post(path) { request, context in
      let form = try await URLEncodedFormDecoder().decode(
        [String: String].self, from: request, context: context)
      for field in wanted where form[field]?.isEmpty ?? true {
        throw HTTPError(.badRequest, message: "the field '\(field)' is empty")
      }
      let code = request.uri.queryParameters["code"].map(String.init) ?? ""
      do {
        let next = try await change(code, form)
        return Response.redirect(to: next ?? Self.path(of: code), type: .normal)
      } catch let error as BookError {
        throw HTTPError(.badRequest, message: error.description)
      }
    }
  }

  private func report(_ request: Request) async throws -> InspectionReport {
    let code = request.uri.queryParameters["code"].map(String.init) ?? ""
    guard let report = try await book.report(code) else {
      throw HTTPError(.notFound, message: "there is no inspection \(code)")
    }
    return report
  }

  /// The address of an inspection's page; a code can have any character.
  static func path(of code: String) -> String { "/inspection?\(query(of: code))" }

  /// Returns the part of an address that names an inspection.
  static func query(of code: String) -> String {
    "code=" + (code.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
  }
}

extension InspectionReport: ResponseEncodable {}
extension ConflictReport: ResponseEncodable {}

/// Refuses forms that a page of somebody else sends, and names that somebody else made for this machine.
struct OwnPagesOnly: RouterMiddleware {
  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority ?? ""
    guard ["127.0.0.1", "localhost"].contains(String(host.prefix { $0 != ":" })) else {
      throw HTTPError(.forbidden, message: "ask for 127.0.0.1, not for '\(host)'")
    }
    if request.method == .post, let origin = request.headers[.origin], origin != "http://\(host)" {
      throw HTTPError(.forbidden, message: "'\(origin)' may not change anything here")
    }
    return try await next(request, context)
  }
}
