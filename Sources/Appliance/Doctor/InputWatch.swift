import Encoding
package import LinuxIO
import Synchronization

/// The inputs of a gate while they are tried: holds their lines, and keeps what they say until somebody looks.
package final class InputWatch: Sendable {
    private struct Seen {
        var isThere = false
        var failure: GPIOError?
        var active: Set<Int> = []
        var edges: [InputEdge] = []
    }

    /// Edges that are kept: a wire that hums is no flood.
    private static let limit = 1000

    private let seen: SeenBox
    private let inputs: GPIOInputs

    /// Takes the lines of all steps.
    package convenience init(_ steps: [InputTrial.Step], chip: String) throws(SystemError) {
        try self.init { (onEdges, onNews) throws(SystemError) in
            try GPIOInputs(
                chip: chip, lines: steps.map(\.line), consumer: "gatehouse-doctor", onEdges: onEdges, onNews: onNews)
        }
    }

    /// The same with what tells of edges.
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

    /// Whether the lines were taken; throws why they cannot be had.
    package func isThere() throws(GPIOError) -> Bool {
        let (isThere, failure) = seen.state.withLock { ($0.isThere, $0.failure) }
        if let failure { throw failure }
        return isThere
    }

    /// The inputs that are active, by their places.
    package var active: Set<Int> { seen.state.withLock { $0.active } }

    /// What has changed since the last look; throws when the lines are gone.
    package func edges() throws(GPIOError) -> [InputEdge] {
        let (edges, failure) = seen.state.withLock { state in
            defer { state.edges = [] }
            return (state.edges, state.failure)
        }
        if let failure { throw failure }
        return edges
    }

    /// Gives the lines back; whether that was done in time.
    @discardableResult
    package func end(within limit: Duration) -> Bool { inputs.end(within: limit) }

    /// A place that both threads see.
    private final class SeenBox: Sendable {
        let state = Mutex(Seen())
    }
}
