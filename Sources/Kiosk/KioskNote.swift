package import Encoding
package import Reasons

/// An observation for people and for the log. Notes carry no claims, no key material and no credential bytes.
///
/// The terminal, the JSON log and the demonstration print only notes, so they cannot disagree.
package enum KioskNote: Equatable, Sendable {
    /// The controller is initialised. The text describes it.
    case radioReady(String)
    /// The radio is out of order, for the given reason. `retryIn`: the time until the next attempt.
    case radioFailed(RadioFailure, retryIn: Duration)
    /// The controller had stopped advertising by itself and advertises again. `count`: how often this
    /// happened since the start.
    case radioLapsed(count: Int)
    /// The reset of the adapter was requested, because no other measure repaired the radio.
    case adapterReset
    /// The controller accepts at most `to` phones at the same time.
    case phonesLimited(to: Int)
    /// The gate advertises the invitation `uri` for the next phones.
    case advertising(uri: String)
    /// A phone has connected.
    case phoneConnected
    /// The ATT MTU of the link has become `bytes`.
    case mtu(bytes: Int)
    /// Both sides have keys; the visitor is choosing a credential. `intent`: the intent of the visit in the
    /// ledger.
    case identified(intent: IntentID)
    /// A transfer of `bytes` encrypted bytes in `chunks` chunks has begun.
    case transferStarted(bytes: Int, chunks: Int)
    /// A part of the transfer was received. `received`: the number of chunks so far. `total`: the number of
    /// all chunks. `bytesPerSecond`: the mean rate in encrypted bytes a second since the transfer was
    /// announced.
    case progress(received: Int, total: Int, bytesPerSecond: Int)
    /// The last missing byte was received (T0). `bytes`: the size of the decrypted payload. `crcErrors` and `repairs`:
    /// the numbers of chunks with a wrong checksum and of repair rounds.
    case received(bytes: Int, crcErrors: Int, repairs: Int)
    /// The verdict is ready and waits until `behind` other verdicts have been shown.
    case verdictWaits(behind: Int)
    /// The verdict on the visit, with its reason codes. `sinceT0`: the time from T0 to the decision. `waited`: the
    /// part of that time in which the visit waited for its verdict turn.
    case decided(accepted: Bool, reasons: [ReasonCode], sinceT0: Duration, waited: Duration)
    /// The gate relay was energised or released.
    case gate(open: Bool)
    /// From now on the gate is in the given mode: lock-down, free passage, or the normal mode. `by`: the
    /// cause.
    case doorMode(DoorMode, by: DoorCause)
    /// A person has passed. `isEntitled`: the person was an admitted visitor or had asked to exit. Otherwise
    /// the gate was not opened for this person.
    case passage(isEntitled: Bool)
    /// No person passed in time after the visitor's opening.
    case notPassed
    /// The exit button inside was pressed. `isGranted`: whether the gate opens for it.
    case exitRequested(isGranted: Bool)
    /// The visit has its verdict or was given up. The note has the result, the reason codes with the most
    /// important first, and the figures of the visit.
    case visitEnded(VisitResult, reasons: [ReasonCode], VisitFigures)
    /// The ledger or the log of used sessions has not stored an entry that the visit needs, for the given reason.
    case ledgerFailed(LedgerFailure)
    /// A fault has begun or is over. The note is published at most once in some seconds for each code.
    /// `count`: the occurrences since the start.
    case fault(ReasonCode, isPresent: Bool, count: Int, detail: String?)
    /// The gate was shut down in order.
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
        case .radioFailed(let failure, let retry):
            [
                "code": .text(failure.cause.text), "reason": .text(failure.description),
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
                "decision": .text(accepted ? "accept" : "reject"), "reasons": Self.json(reasons),
                "sinceT0us": .int(Int(time.nanoseconds / 1000)), "waitedMs": .int(Int(waited.milliseconds)),
            ]
        case .gate(let open): ["open": .bool(open)]
        case .doorMode(let mode, let cause): ["mode": .text(mode.rawValue), "by": .text(cause.rawValue)]
        case .passage(let isEntitled): ["entitled": .bool(isEntitled)]
        case .exitRequested(let isGranted): ["granted": .bool(isGranted)]
        case .visitEnded(let result, let reasons, let figures): Self.members(result, reasons, figures)
        case .ledgerFailed(let failure): ["reason": .text(failure.description)]
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

    private static func json(_ reasons: [ReasonCode]) -> JSON { .array(reasons.map { .text($0.text) }) }

    private static func members(
        _ result: VisitResult, _ reasons: [ReasonCode], _ figures: VisitFigures
    ) -> JSONObject {
        var members: JSONObject = ["result": .text(result.name), "reasons": json(reasons)]
        if let telling = ReasonCode.telling(reasons), telling != .ok {
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
