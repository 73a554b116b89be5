import Encoding
package import LinuxIO
import Synchronization

/// Reads the inputs of a gate during their trials. It requests their lines and collects their edges until the next call
/// of ``edges()``.
package final class InputWatch: Sendable {
    private struct Seen {
        var isThere = false
        var failure: GPIOError?
        var active: Set<Int> = []
        var edges: [InputEdge] = []
    }

    /// The maximum number of edges that are stored until the next call of ``edges()``. Further edges are dropped, so
    /// that a noisy wire does not fill the memory.
    private static let limit = 1000

    private let seen: SeenBox
    private let inputs: GPIOInputs

    /// Requests the GPIO lines of all steps from the kernel.
    package convenience init(_ steps: [InputTrial.Step], chip: String) throws(SystemError) {
        try self.init { (onEdges, onNews) throws(SystemError) in
            try GPIOInputs(
                chip: chip, lines: steps.map(\.line), consumer: "gatehouse-doctor", onEdges: onEdges, onNews: onNews)
        }
    }

    /// Creates a watch with another source of edges, for tests.
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

    /// Returns whether the lines were requested successfully. Throws the error if they cannot be requested.
    package func isThere() throws(GPIOError) -> Bool {
        let (isThere, failure) = seen.state.withLock { ($0.isThere, $0.failure) }
        if let failure { throw failure }
        return isThere
    }

    /// The indices of the inputs that are active at this moment.
    package var active: Set<Int> { seen.state.withLock { $0.active } }

    /// Returns the edges since the last call. Throws if the lines can no longer be read.
    package func edges() throws(GPIOError) -> [InputEdge] {
        let (edges, failure) = seen.state.withLock { state in
            defer { state.edges = [] }
            return (state.edges, state.failure)
        }
        if let failure { throw failure }
        return edges
    }

    /// Releases the lines. Returns whether that was done within `limit`.
    @discardableResult
    package func end(within limit: Duration) -> Bool { inputs.end(within: limit) }

    /// The state that the thread of the inputs and the caller's thread share.
    private final class SeenBox: Sendable {
        let state = Mutex(Seen())
    }
}
