import Encoding
import Kiosk
import LinuxIO
import Synchronization

/// The inputs at the door on GPIO lines: takes them, and tells of their edges.
///
/// Which line is which is known here only. The kernel debounces, and waits for the chip, go on a thread of their own.
final class DoorLines: Sendable {
    private let inputs: GPIOInputs

    /// Takes the inputs of a configuration; nil: it has none. `tell` is called on a thread of its own and may not block.
    init?(_ configuration: Configuration, tell: @escaping @Sendable ([DoorEvent]) -> Void) throws(SystemError) {
        guard let chip = configuration.gpio.chip, !configuration.door.inputs.isEmpty else { return nil }
        let uses = configuration.door.inputs.map(\.use)
        // What nobody was told of is inactive.
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
                // What was missed is told as edges.
                case .lost: break
                }
            })
    }

    /// Gives the lines back; whether that was done in time.
    func end(within limit: Duration) -> Bool { inputs.end(within: limit) }
}

extension DoorSection.Input {
    /// The line as it is taken.
    var inputLine: InputLine {
        let bias: InputLine.Bias =
            switch bias {
            case .asItIs: .asItIs
            case .pullUp: .pullUp
            case .pullDown: .pullDown
            case .none: .off
            }
        return InputLine(line, activeLow: active == .low, bias: bias, debounce: debounce)
    }
}
