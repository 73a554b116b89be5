package import Kiosk
import Ledger
import Reasons

/// Writes the kiosk's notes as lines for a person at a terminal.
package enum EventLine {
    /// Returns the line of a note, without a line end; nil if the note does not interest a person. The line begins
    /// with the lamps that the note is about and, because several phones may be connected, with the short name of the
    /// visit.
    package static func text(_ note: KioskNote, of visit: VisitID?) -> String? {
        func line(_ lamps: Set<Lamp>, _ text: String) -> String {
            column(lamps) + (visit.map { $0.mark + "  " } ?? "") + text
        }
        return switch note {
        case .radioReady: line([.blue], "radio ready")
        case .radioFailed(let failure, _): line([.red, .amber], "out of order: \(failure)")
        case .radioLapsed(let count): line([.amber], "the adapter had stopped advertising (\(count) so far)")
        case .adapterReset: line([.red, .amber], "a reset of the adapter is requested")
        case .phonesLimited(let phones): line([.amber], "this adapter serves \(phones) at the same time")
        case .verdictWaits(let others): line([], "the verdict waits for \(others) earlier verdicts")
        case .phoneConnected: line([.blue], "a phone is connected")
        case .transferStarted(let bytes, _): line([.blue], "receiving \(bytes) bytes")
        // Write one line for each quarter of the transfer, so that a long transfer shows progress.
        case .progress(let received, let total, let rate)
        where received < total && received * 4 / total > (received - 1) * 4 / total:
            line([.blue], "\(received * 100 / total) %, \(rate / 1000) kB/s")
        case .received: line([.amber], "checking")
        case .decided(let accepted, let reasons, _, _):
            line([accepted ? .green : .red], (accepted ? "ACCEPTED" : "REJECTED") + reason(reasons))
        case .gate(let open): line([], open ? "gate open" : "gate shut")
        case .doorMode(.locked, let cause): line([.red], "LOCKED DOWN\(by(cause))")
        case .doorMode(.free, let cause): line([.green], "FREE PASSAGE\(by(cause))")
        case .doorMode(.normal, _): line([], "normal service")
        case .passage(true): line([], "a person passed")
        case .passage(false): line([.amber], "a person passed for whom the gate was not opened (tailgating)")
        case .notPassed: line([.amber], "no passage in time")
        case .exitRequested(let isGranted): line([], isGranted ? "request to exit" : "request to exit, refused")
        case .visitEnded(.outcome(.failed), let reasons, _): line([.amber], "failed" + reason(reasons))
        case .ledgerFailed(let failure): line([.red, .amber], "ledger: \(failure)")
        case .fault(.radioFailed, _, _, _): nil  // the notes of the radio contain more detail
        case .fault(let code, true, _, let detail): line([.amber], "attention: \(code): \(detail ?? code.meaning)")
        case .fault(let code, false, _, _): line([], "over: \(code)")
        case .advertising, .mtu, .identified, .progress, .visitEnded, .stopped: nil
        }
    }

    private static func by(_ cause: DoorCause) -> String { cause == .none ? "" : " (\(cause.rawValue))" }

    private static func reason(_ reasons: [ReasonCode]) -> String {
        let told = reasons.filter { $0 != .ok }.map(\.text)
        return told.isEmpty ? "" : " (" + told.joined(separator: ", ") + ")"
    }

    /// Returns the beginning of a line, which has one character for each lamp, in the order of ``Lamp``.
    private static func column(_ lamps: Set<Lamp>) -> String {
        Lamp.allCases.map { lamps.contains($0) ? "●" : "○" }.joined(separator: " ") + "  "
    }
}

extension VisitID {
    /// The short name of the visit for people: the first four characters of its id. The log and the ledger contain
    /// the whole id.
    var mark: String { String(text.prefix(4)) }
}
