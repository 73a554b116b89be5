import Administration
import Kiosk
import LinuxIO
import Reasons

/// The faults of the outputs, by part of the outputs. A fault that several parts share is over when all of
/// them work again.
struct GateFaults: Sendable {
    /// An output that may fail and recover.
    enum Part: CaseIterable {
        /// The gate's relay.
        case relay
        /// The output for free passage.
        case free
        /// The wires to a controller.
        case controller
        /// Lamps and sounder.
        case lamps

        /// Returns the codes of a fault of the part, the worst first.
        fileprivate func codes(_ trouble: LineThread.Trouble) -> [ReasonCode] {
            // A relay that cannot be released is a worse fault than one that cannot be energised.
            let isStuck = trouble.isStuck && (self == .relay || self == .free)
            // A lasting fault of the gate relay or of the controller's wires makes the gate unavailable: no
            // visitor is let in. Visitors do not need the output for free passage.
            let isGate = self == .relay || self == .controller
            return [isStuck ? .gateStuck : .gpioFailed] + (isGate && trouble.isLasting ? [.gateUnavailable] : [])
        }
    }

    private var faults: [Part: (codes: [ReasonCode], detail: String)] = [:]

    /// Notes the state of a part; nil: it works. Returns the faults that have begun, changed or ended.
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
