import Synchronization

/// Records values that a test observes, in order, from any thread.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    /// Creates a recorder without elements.
    package init() {}

    /// All recorded elements, oldest first.
    package var all: [Element] { elements.withLock { $0 } }

    /// The number of recorded elements.
    package var count: Int { elements.withLock { $0.count } }

    /// Whether no element is recorded.
    package var isEmpty: Bool { elements.withLock { $0.isEmpty } }

    /// The newest element; nil if there is none.
    package var last: Element? { elements.withLock { $0.last } }

    /// Adds an element.
    package func add(_ element: Element) { elements.withLock { $0.append(element) } }

    /// Removes all elements and returns them.
    @discardableResult
    package func removeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
