import Encoding
package import LinuxIO
import Synchronization

/// The inputs of a gate during their trials: holds their lines, and keeps their edges until the next call of
/// ``edges()``.
package final class InputWatch: Sendable {
    private struct Seen {
        var isThere = false
        var failure: GPIOError?
        var active: Set<Int> = []
        var edges: [InputEdge] = []
    }

    /// The maximum number of edges that are kept, so that a noisy wire does not fill the memory.
    private static let limit = 1000

    private let seen: SeenBox
    private let inputs: GPIOInputs

    /// Takes the GPIO lines of all steps.
    package convenience init(_ steps: [InputTrial.Step], chip: String) throws(SystemError) {
        try self.init { (onEdges, onNews) throws(SystemError) in
            try GPIOInputs(
                chip: chip, lines: steps.map(\.line), consumer: "gatehouse-doctor", onEdges: onEdges, onNews: onNews)
        }
    }

    /// Creates a watch with another source of edges.
    init(
        _ take: (
            _ onEdges: @escaping @Sendable ([InputEdge]) -> Void,
            _ onNews: @escaping @Sendable (GPIOInputs.News) -> Void
        ) throws(SystemError) -> GPIOInputs
    ) throws(SystemError) {
        let seen = SeenBox()
        self.seen = seen
        inputs = try take(
            { edges in
                seen.state.withLock { state in
                    for edge in edges {
                        if edge.isActive { state.active.insert(edge.index) } else { state.active.remove(edge.index) }
                    }
                    state.edges += edges.prefix(max(0, Self.limit - state.edges.count))
                }
            },
            { news in
                seen.state.withLock { state in
                    switch news {
                    case .available: (state.isThere, state.failure) = (true, nil)
                    case .unavailable(let error): state.failure = error
                    case .lost: break
                    }
                }
            })
    }

    /// Returns whether the lines were taken; throws the error if they cannot be taken.
    package func isThere() throws(GPIOError) -> Bool {
        let (isThere, failure) = seen.state.withLock { ($0.isThere, $0.failure) }
        if let failure { throw failure }
        return isThere
    }

    /// The indices of the inputs that are active.
    package var active: Set<Int> { seen.state.withLock { $0.active } }

    /// Returns the edges of the lines since the last call. Throws if the lines can no longer be read.
    package func edges() throws(GPIOError) -> [InputEdge] {
        let (edges, failure) = seen.state.withLock { state in
            defer { state.edges = [] }
            return (state.edges, state.failure)
        }
        if let failure { throw failure }
        return edges
    }

    /// Gives the lines back; returns whether that was done in time.
    @discardableResult
    package func end(within limit: Duration) -> Bool { inputs.end(within: limit) }

    /// The state that both threads share.
    private final class SeenBox: Sendable {
        let state = Mutex(Seen())
    }
}
