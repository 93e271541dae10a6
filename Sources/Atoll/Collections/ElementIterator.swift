/// Goes through the elements that a collection had when the loop began.
///
/// A class: the optimizer of Swift 6.3.1 stops with an error where a loop over an iterator that is a
/// struct stands in asynchronous code at the top level of a program and something leaves that code early.
public final class ElementIterator<Element>: IteratorProtocol {
  private let advance: () -> Element?

  package init(_ advance: @escaping () -> Element?) { self.advance = advance }

  /// The next element; nil after the last.
  public func next() -> Element? { advance() }
}
