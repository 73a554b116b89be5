package import Credentials
package import Encoding

/// Something that a person or a log may need to know. Notes carry no claims, no key material and no
/// credential bytes.
///
/// The terminal, the JSON log and the demonstration print only these, so they cannot disagree.
package enum KioskNote: Sendable {
    /// The controller is initialised; carries its description.
    case radioReady(String)
    /// The radio is out of order; the reason as a code and as text, and the time until the next attempt.
    case radioFailed(ReasonCode, reason: String, retryIn: Duration)
    /// The controller had stopped advertising by itself and advertises again; how often since the start.
    case radioLapsed(count: Int)
    /// Nothing else has helped: the reset of the adapter was requested.
    case adapterReset
    /// The controller accepts no further phone in addition to this many.
    case phonesLimited(to: Int)
    /// Advertising this invitation for the next phones.
    case advertising(uri: String)
    /// A phone has connected.
    case phoneConnected
    /// The ATT MTU of the link has become `bytes`.
    case mtu(bytes: Int)
    /// Both sides have keys; the visitor is choosing a credential. Carries the intent of the visit in the ledger.
    case identified(intent: IntentID)
    /// A transfer of `bytes` encrypted bytes in `chunks` chunks has begun.
    case transferStarted(bytes: Int, chunks: Int)
    /// The number of chunks received so far, and the mean rate in encrypted bytes a second since they were announced.
    case progress(received: Int, total: Int, bytesPerSecond: Int)
    /// The last missing byte was received (T0); the opened payload has `bytes` bytes.
    case received(bytes: Int, crcErrors: Int, repairs: Int)
    /// The verdict is ready and waits until that many others have been shown.
    case verdictWaits(behind: Int)
    /// The verdict, with how long it took from T0 and how much of that was waiting for its turn.
    case decided(accepted: Bool, reasons: [String], sinceT0: Duration, waited: Duration)
    /// The gate relay was energised or released.
    case gate(open: Bool)
    /// From now on: lock-down, free passage, or neither; with the cause.
    case doorMode(DoorMode, by: DoorCause)
    /// A person has passed: the admitted visitor or a person who asked to exit; otherwise a person for whom
    /// the gate was not opened.
    case passage(isEntitled: Bool)
    /// Nobody passed in time after the visitor's opening.
    case notPassed
    /// The button inside was pressed; whether the gate opens for it.
    case exitRequested(isGranted: Bool)
    /// The visit is decided or given up; reason codes, the most important first, and its figures.
    case visitEnded(result: String, reasons: [String], VisitFigures)
    /// The ledger could not take a record.
    case ledgerFailed(reason: String)
    /// A fault has begun, or is over; at most once in some seconds for each code.
    case fault(ReasonCode, isPresent: Bool, count: Int, detail: String?)
    /// Shut down in order.
    case stopped

    /// The stable name under which logs and `--json` output list the note.
    package var name: String {
        switch self {
        case .radioReady: "radio.ready"
        case .radioFailed: "radio.failed"
        case .radioLapsed: "radio.lapsed"
        case .adapterReset: "radio.adapter-reset"
        case .phonesLimited: "radio.phones"
        case .advertising: "advertising"
        case .phoneConnected: "phone.connected"
        case .mtu: "phone.mtu"
        case .identified: "phone.identified"
        case .transferStarted: "transfer.started"
        case .progress: "transfer.progress"
        case .received: "transfer.received"
        case .verdictWaits: "verdict.waits"
        case .decided: "verdict"
        case .gate: "gate"
        case .doorMode: "door.mode"
        case .passage: "door.passage"
        case .notPassed: "door.not-passed"
        case .exitRequested: "door.exit-request"
        case .visitEnded: "visit.ended"
        case .ledgerFailed: "ledger.failed"
        case .fault: "fault"
        case .stopped: "stopped"
        }
    }

    /// The note's data as JSON members, in a fixed order.
    package var members: JSONObject {
        switch self {
        case .radioReady(let description): ["controller": .text(description)]
        case .radioFailed(let cause, let reason, let retry):
            [
                "code": .text(cause.text), "reason": .text(reason),
                "retryMs": .int(Int(retry.nanoseconds / 1_000_000)),
            ]
        case .radioLapsed(let count): ["count": .int(count)]
        case .phonesLimited(let phones): ["phones": .int(phones)]
        case .advertising(let uri): ["uri": .text(uri)]
        case .adapterReset, .phoneConnected, .notPassed, .stopped: [:]
        case .identified(let intent): ["intent": .text(intent.text)]
        case .mtu(let bytes): ["bytes": .int(bytes)]
        case .transferStarted(let bytes, let chunks): ["bytes": .int(bytes), "chunks": .int(chunks)]
        case .progress(let received, let total, let rate):
            [
                "received": .int(received), "total": .int(total), "percent": .int(received * 100 / max(1, total)),
                "bytesPerSecond": .int(rate),
            ]
        case .received(let bytes, let crcErrors, let repairs):
            ["bytes": .int(bytes), "crcErrors": .int(crcErrors), "repairs": .int(repairs)]
        case .verdictWaits(let others): ["behind": .int(others)]
        case .decided(let accepted, let reasons, let time, let waited):
            [
                "decision": .text(accepted ? "accept" : "reject"), "reasons": .array(reasons.map(JSON.text)),
                "sinceT0us": .int(Int(time.nanoseconds / 1000)), "waitedMs": .int(Int(waited.milliseconds)),
            ]
        case .gate(let open): ["open": .bool(open)]
        case .doorMode(let mode, let cause): ["mode": .text(mode.rawValue), "by": .text(cause.rawValue)]
        case .passage(let isEntitled): ["entitled": .bool(isEntitled)]
        case .exitRequested(let isGranted): ["granted": .bool(isGranted)]
        case .visitEnded(let result, let reasons, let figures): Self.members(result, reasons, figures)
        case .ledgerFailed(let reason): ["reason": .text(reason)]
        case .fault(let code, let isPresent, let count, let detail):
            Self.members(code, isPresent, count, detail)
        }
    }

    private static func members(_ code: ReasonCode, _ isPresent: Bool, _ count: Int, _ detail: String?) -> JSONObject {
        var members: JSONObject = ["code": .text(code.text), "present": .bool(isPresent), "count": .int(count)]
        if let detail { _ = members.appendIfNew(.init("detail", .text(detail))) }
        if isPresent { _ = members.appendIfNew(.init("remedy", .text(code.remedy))) }
        return members
    }

    private static func members(_ result: String, _ reasons: [String], _ figures: VisitFigures) -> JSONObject {
        var members: JSONObject = ["result": .text(result), "reasons": .array(reasons.map(JSON.text))]
        if let telling = ReasonCode.telling(reasons.map { Text($0) }), telling != .ok {
            members["remedy"] = .text(telling.remedy)
        }
        members["ms"] = .int(figures.milliseconds)
        members["bytes"] = figures.bytes.map(JSON.int)
        members["chunks"] = figures.chunks.map(JSON.int)
        if figures.chunks != nil {
            members["crcErrors"] = .int(figures.crcErrors)
            members["repairs"] = .int(figures.repairs)
        }
        return members
    }
}

/// The duration of a visit and the figures of its transfer.
package struct VisitFigures: Hashable, Sendable {
    /// From the connection until now, in milliseconds.
    package var milliseconds: Int
    /// Encrypted bytes that were announced; nil when none were.
    package var bytes: Int?
    /// Chunks of the transfer; nil when there was none.
    package var chunks: Int?
    /// Chunks dropped for a wrong CRC.
    package var crcErrors = 0
    /// Repair rounds.
    package var repairs = 0
    /// Whether the visit has a record of its own. Other visits are counted, and a later record of their kind
    /// contains their number.
    package var isRecorded = true
}
