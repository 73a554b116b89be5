import Credentials
import Kiosk
import LinuxIO

/// What is wrong with the outputs, part by part: a fault that two parts have in the same words is over when both are mended.
struct GateFaults: Sendable {
    /// An output that fails and is mended by itself.
    enum Part: CaseIterable {
        /// The gate's relay.
        case relay
        /// The output for free passage.
        case free
        /// The wires to a controller.
        case controller
        /// Lamps and sounder.
        case lamps

        /// What trouble with it means, the worst first.
        fileprivate func codes(_ trouble: LineThread.Trouble) -> [ReasonCode] {
            // Worse than a relay that does not open is one that does not shut. Neither lets anybody in.
            let isStuck = trouble.isStuck && (self == .relay || self == .free)
            // A controller that cannot be told is a gate that cannot be opened; visitors need no free passage.
            let isGate = self == .relay || self == .controller
            return [isStuck ? .gateStuck : .gpioFailed] + (isGate && trouble.isLasting ? [.gateUnavailable] : [])
        }
    }

    private var faults: [Part: (codes: [ReasonCode], detail: String)] = [:]

    /// Takes what a part says, nil: it is as wanted again. Returns what has changed by that.
    mutating func changed(_ part: Part, _ trouble: LineThread.Trouble?) -> [HealthReport] {
        let before = faults[part]?.codes ?? []
        let fault = trouble.map { (codes: part.codes($0), detail: $0.error.detail) }
        faults[part] = fault
        let present = fault.map { fault in fault.codes.map { HealthReport.present($0, detail: fault.detail) } } ?? []
        return before.filter { fault?.codes.contains($0) != true }.map { code in
            let other = Part.allCases.compactMap { faults[$0] }.first { $0.codes.contains(code) }
            return other.map { .present(code, detail: $0.detail) } ?? .over(code)
        } + present
    }
}
