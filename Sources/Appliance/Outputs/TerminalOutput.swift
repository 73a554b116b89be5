import Credentials
package import Encoding
package import Kiosk
import LinuxIO

/// The status light and the verdicts as lines for a person at the terminal, below the invitation's QR code.
package struct TerminalOutput: KioskListener {
    private let write: @Sendable (String) -> Void

    /// Hands each line, without its end, to `write`.
    package init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// The note as a line, where a person wants to know. Several phones may be there: each line begins with whose it is, the
    /// first four characters of the visit's id, which log and ledger have whole.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        func line(_ lamps: Set<Lamp>, _ text: String) {
            write(Self.column(lamps) + (visit.map { $0.text.prefix(4) + "  " } ?? "") + text)
        }
        switch note {
        case .radioReady: line([.blue], "radio ready")
        case .radioFailed(let reason, _): line([.red, .amber], "out of order: \(reason)")
        case .phonesLimited(let phones): line([.amber], "this adapter serves \(phones) at once")
        case .verdictWaits(let others): line([], "the verdict waits for \(others) before it")
        case .phoneConnected: line([.blue], "a phone is connected")
        case .transferStarted(let bytes, _): line([.blue], "receiving \(bytes) bytes")
        case .received: line([.amber], "checking")
        case .decided(let accepted, let reasons, _, _):
            line([accepted ? .green : .red], (accepted ? "ACCEPTED" : "REJECTED") + reason(reasons))
        case .gate(let open): line([], open ? "gate open" : "gate shut")
        case .visitEnded("failed", let reasons, _): line([.amber], "failed" + reason(reasons))
        case .ledgerFailed(let reason): line([.red, .amber], "ledger: \(reason)")
        case .fault(.radioFailed, _, _, _): break  // told in more words by the notes above
        case .fault(let code, true, _, let detail): line([.amber], "look after it: \(code): \(detail ?? code.meaning)")
        case .fault(let code, false, _, _): line([], "over: \(code)")
        case .advertising, .mtu, .identified, .progress, .visitEnded, .stopped: break
        }
    }

    private func reason(_ reasons: [String]) -> String {
        let told = reasons.filter { $0 != ReasonCode.ok.text }
        return told.isEmpty ? "" : " (" + told.joined(separator: ", ") + ")"
    }

    /// Lamps by their place, as on the box: blue, amber, green, red.
    private static func column(_ lamps: Set<Lamp>) -> String {
        Lamp.allCases.map { lamps.contains($0) ? "●" : "○" }.joined(separator: " ") + "  "
    }
}
