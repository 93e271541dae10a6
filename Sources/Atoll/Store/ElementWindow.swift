import AtollStorage
import AtollVocabulary

/// Elements of collections that are likely to be read one after the other, and what they link to.
///
/// Elements are links, or embedded objects that have some; what they lead to is read by pages.
final class ElementWindow {
  /// Elements whose links are followed together at most.
  static let size = RowPage.size

  private let elements: [StoredElement]
  private var pages: [Link: RowPage] = [:]

  /// The column of embedded objects where links are, nil for the elements themselves; and to where.
  private struct Link: Hashable {
    var column: Int?
    var target: ClassID
  }

  init(_ elements: some Sequence<StoredElement>) { self.elements = Array(elements) }

  /// The page of what links lead to; nil if what one leads to is to be read alone.
  func linked(by column: Int? = nil, to target: Table) -> RowPage? {
    guard elements.count > 1 else { return nil }
    let link = Link(column: column, target: target.classID)
    if let known = pages[link], !known.isOutdated { return known }
    let page = RowPage(
      target, of: elements.lazy.compactMap { $0.link(link.column, to: link.target) })
    pages[link] = page
    return page
  }
}

extension StoredElement {
  /// Returns the target of a link, which may be an any-typed one.
  fileprivate func link(_ column: Int?, to target: ClassID) -> RowID? {
    guard let column else {
      if case .link(target, let id) = value { return id }
      return nil
    }
    if case .link(target, let id)? = others[column] { return id }
    if case .embedded(let columns) = value, case .int(let id) = columns[column] {
      return RowID(id)
    }
    return nil
  }
}

/// The windows on a collection's elements, one at a time.
struct ElementWindows {
  private var window: (element: ElementWindow, range: Range<Int>)?

  /// The window that has the element at an index.
  mutating func window(
    at index: Int, of elements: some RandomAccessCollection<StoredElement>
  ) -> ElementWindow {
    if let window, window.range.contains(index) { return window.element }
    let start = index / ElementWindow.size * ElementWindow.size
    let range = start..<min(start + ElementWindow.size, elements.count)
    let first = elements.index(elements.startIndex, offsetBy: start)
    let made = ElementWindow(elements[first...].prefix(ElementWindow.size))
    window = (made, range)
    return made
  }
}
