package import Reasons

/// An output of the gate: a lamp, the sounder, a wire or a relay, each on its own line. The raw value is the
/// configuration key that names the line.
///
/// Only this table contains the differences between the outputs. Other code iterates over ``allCases``, so a further
/// output needs only one more row. The order is that in which a person tries the outputs.
package enum OutputRole: String, CaseIterable, Sendable {
    case blueLamp = "indicator.blue"
    case amberLamp = "indicator.amber"
    case greenLamp = "indicator.green"
    case redLamp = "indicator.red"
    case sounder = "indicator.tone"
    case wire0 = "wiegand.data0"
    case wire1 = "wiegand.data1"
    case freeRelay = "door.freeLine"
    case gateRelay = "gate.line"

    /// What an output is, and when it is on.
    package enum Kind: Hashable, Sendable {
        /// A lamp of the status light: on as the shown pattern says (``LampRhythms``).
        case lamp(Lamp)
        /// The sounder: on for the tones of a verdict (``VerdictTones``).
        case tone
        /// A wire to a gate controller: a frame of pulses for each admitted visitor.
        case wire
        /// An output that is on as long as the gate is in the given mode. Its command is renewed continuously, so
        /// the output goes off if the program hangs.
        case held(DoorMode)
        /// The gate's relay: on for one pulse for each person (``Gate``).
        case pulse
    }

    private struct Row {
        let kind: Kind
        let name: String
        let title: String
        let polarity: String
        var isActiveLow = false
        var admits = false
        var holdsOpen = false

        static func lamp(_ lamp: Lamp) -> Row {
            Row(
                kind: .lamp(lamp), name: lamp.rawValue, title: "the \(lamp.rawValue) lamp",
                polarity: "indicator.activeLow")
        }

        static func wire(_ name: String) -> Row {
            Row(
                kind: .wire, name: name, title: "the wire of \(name)", polarity: "wiegand.activeLow",
                admits: true)
        }
    }

    private var row: Row {
        switch self {
        case .blueLamp: .lamp(.blue)
        case .amberLamp: .lamp(.amber)
        case .greenLamp: .lamp(.green)
        case .redLamp: .lamp(.red)
        case .sounder: Row(kind: .tone, name: "tone", title: "the sounder", polarity: "indicator.activeLow")
        case .wire0: .wire("data 0")
        case .wire1: .wire("data 1")
        case .freeRelay:
            Row(
                kind: .held(.free), name: "free passage", title: "the output for free passage",
                polarity: "door.freeActiveLow", holdsOpen: true)
        case .gateRelay:
            Row(
                kind: .pulse, name: "gate", title: "the gate's relay", polarity: "gate.activeLow", admits: true,
                holdsOpen: true)
        }
    }

    /// The configuration key that names the output's line.
    package var key: String { rawValue }
    /// The output's kind, which says when it is on.
    package var kind: Kind { row.kind }
    /// The output's name in the pinout, in the log and on the terminal.
    package var name: String { row.name }
    /// The output's name in a sentence.
    package var title: String { row.title }
    /// The configuration key that says whether a low level switches the output on, and its default. Outputs of
    /// one section may share the key.
    package var polarity: (key: String, isActiveLow: Bool) { (row.polarity, row.isActiveLow) }
    /// Whether visitors are admitted by this output: while it fails, the gate is unavailable.
    package var admits: Bool { row.admits }
    /// Whether the gate is open as long as the output is on.
    package var holdsOpen: Bool { row.holdsOpen }
    /// The fault code of an output that stays on after it was switched off. A gate that stays open has a code of its
    /// own.
    package var stuck: ReasonCode { holdsOpen ? .gateStuck : .gpioFailed }

    /// The lamps of the status light and the sounder. They share one request to the kernel for their lines, and one
    /// thread.
    package static let signals = allCases.filter { role in
        switch role.kind {
        case .lamp, .tone: true
        case .wire, .held, .pulse: false
        }
    }
    /// The wires to a gate controller. They share one request to the kernel for their lines, and one thread.
    package static let wires = allCases.filter { $0.kind == .wire }
    /// The outputs that are on as long as the gate is in a mode, and the mode of each (``Kind/held(_:)``).
    package static let held: [(role: OutputRole, mode: DoorMode)] = allCases.compactMap { role in
        if case .held(let mode) = role.kind { (role, mode) } else { nil }
    }
    /// The gate's relay, and then the held outputs. Each has its own request to the kernel for its line, and its own
    /// thread.
    package static let separate = allCases.filter { $0.kind == .pulse } + held.map(\.role)
    /// The outputs in groups that share a request to the kernel for their lines and a thread, in the order in which
    /// the groups are released.
    package static let groups = separate.map { [$0] } + [wires, signals]
}

extension Signal {
    /// The outputs that the signal switches on, in order.
    package var outputs: [OutputRole] {
        OutputRole.signals.filter { role in
            switch role.kind {
            case .lamp(let lamp): lamps.contains(lamp)
            case .tone: tone
            case .wire, .held, .pulse: false
            }
        }
    }
}
