import Administration
import Encoding
package import Kiosk
package import LinuxIO
package import Settings
import Synchronization

/// The inputs at the door on GPIO lines: requests the lines and delivers their edges.
///
/// Only this class knows which line has which use. The kernel debounces the lines, or ``GPIOInputs`` if it
/// cannot; the thread of ``GPIOInputs`` also waits for their chip.
package final class DoorLines: Sendable {
    private let inputs: GPIOInputs

    /// Requests the inputs of a configuration; nil: the configuration has no inputs. `tell` is called on a
    /// separate thread and must not block.
    package init?(_ configuration: Configuration, tell: @escaping @Sendable ([DoorEvent]) -> Void) throws(SystemError) {
        guard let chip = configuration.gpio.chip, !configuration.door.inputs.isEmpty else { return nil }
        let uses = configuration.door.inputs.map(\.use)
        // An input without an edge so far is inactive.
        let levels = Mutex(Dictionary(uses.map { ($0, false) }) { first, _ in first })
        inputs = try GPIOInputs(
            chip: chip, lines: configuration.door.inputs.map(\.inputLine), consumer: "gatehouse",
            onEdges: { edges in
                let events = edges.filter { uses.indices.contains($0.index) }.map { edge in
                    DoorEvent.edge(uses[edge.index], isActive: edge.isActive, at: edge.at)
                }
                levels.withLock { levels in
                    for edge in edges where uses.indices.contains(edge.index) {
                        levels[uses[edge.index]] = edge.isActive
                    }
                }
                tell(events)
            },
            onNews: { news in
                switch news {
                case .available: tell([.lines(levels.withLock { $0 })])
                case .unavailable(let error): tell([.linesLost(detail: error.detail)])
                // The edges that were missed follow as edges.
                case .lost: break
                }
            })
    }

    /// Gives the lines back. Returns whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool { inputs.end(within: limit) }
}
