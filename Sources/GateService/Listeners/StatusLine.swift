package import Kiosk
import Reasons

/// The line that `systemctl status` shows: the worst fault, otherwise the kiosk's activity. It is made from
/// notes alone.
package struct StatusLine: Sendable {
    private var doing = ""
    private var faults: [(code: ReasonCode, detail: String?)] = []

    /// Creates an empty line.
    package init() {}

    /// Applies a note. Returns the new line; nil: the line is unchanged.
    package mutating func take(_ note: KioskNote) -> String? {
        let before = text
        switch note {
        case .advertising: doing = "waiting for a phone"
        case .radioFailed(let failure, _): doing = "radio out of order: \(failure)"
        case .fault(let code, let isPresent, _, let detail):
            faults.removeAll { $0.code == code }
            if isPresent { faults.append((code, detail)) }
        default: return nil
        }
        return text.utf8.elementsEqual(before.utf8) ? nil : text
    }

    /// The present text of the line.
    package var text: String {
        // Of faults with equal weight choose the first: it is more often the cause.
        let worst = faults.enumerated().min {
            (Health.weight(of: $0.element.code), $0.offset) < (Health.weight(of: $1.element.code), $1.offset)
        }
        guard let fault = worst?.element else { return doing }
        let others = faults.count > 1 ? " (and \(faults.count - 1) more: gatehouse status)" : ""
        return "\(fault.code): \(fault.detail ?? fault.code.meaning)\(others)"
    }
}
