package import Kiosk
import Reasons

/// The line that `systemctl status` shows: the most severe fault or, without a fault, what the kiosk does. It is
/// computed only from the kiosk's notes.
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
        // Of several faults with the same weight choose the one that began first: it is more often the cause of the
        // others.
        let worst = faults.enumerated().min {
            (Health.weight(of: $0.element.code), $0.offset) < (Health.weight(of: $1.element.code), $1.offset)
        }
        guard let fault = worst?.element else { return doing }
        let others = faults.count > 1 ? " (and \(faults.count - 1) more: gatehouse status)" : ""
        return "\(fault.code): \(fault.detail ?? fault.code.meaning)\(others)"
    }
}
