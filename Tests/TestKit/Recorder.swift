import Synchronization

/// Keeps what a test sees, in order, from any thread.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    /// An empty recorder.
    package init() {}

    /// All elements so far.
    package var all: [Element] { elements.withLock { $0 } }

    /// The number of elements so far.
    package var count: Int { elements.withLock { $0.count } }

    /// Whether nothing was seen so far.
    package var isEmpty: Bool { elements.withLock { $0.isEmpty } }

    /// The newest element.
    package var last: Element? { elements.withLock { $0.last } }

    /// Adds an element.
    package func add(_ element: Element) { elements.withLock { $0.append(element) } }

    /// Forgets all elements, and returns them.
    @discardableResult
    package func removeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
