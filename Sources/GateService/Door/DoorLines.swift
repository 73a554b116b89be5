import Administration
import Encoding
package import Kiosk
package import LinuxIO
package import Settings
import Synchronization

/// The inputs at the door on GPIO lines. This class requests the lines and delivers their edges.
///
/// Only this class knows which line is which input. The kernel debounces the lines; if it cannot, ``GPIOInputs``
/// does. The thread of ``GPIOInputs`` also waits until the GPIO chip exists.
package final class DoorLines: Sendable {
    private let inputs: GPIOInputs

    /// Requests the input lines of a configuration. Returns nil if the configuration has no inputs. `tell` is called
    /// on a separate thread and must not block.
    package init?(_ configuration: Configuration, tell: @escaping @Sendable ([DoorEvent]) -> Void) throws(SystemError) {
        guard let chip = configuration.gpio.chip, !configuration.door.inputs.isEmpty else { return nil }
        let uses = configuration.door.inputs.map(\.use)
        // An input is assumed to be inactive until its first edge.
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
                // Nothing to do: the kernel dropped edges, and ``GPIOInputs`` delivers the resulting changes as
                // edges.
                case .lost: break
                }
            })
    }

    /// Releases the lines. Returns whether they were released within `limit`.
    package func end(within limit: Duration) -> Bool { inputs.end(within: limit) }
}
