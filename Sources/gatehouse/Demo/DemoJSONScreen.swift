import Console
import Credentials
import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Workbench

/// The JSON output of a demonstration, one object per line: `{"at":seconds,"event":name,…}`. The last line is
/// `{"event":"result",…}`.
struct JSONScreen: DemoScreen {
    func show(_ event: Demonstration.Event, at now: Instant) {
        guard let (name, members) = describe(event) else { return }
        var line: JSONObject = [
            "at": .number(JSONNumber(validated: seconds(now))), "event": .text(name),
        ]
        for member in members.members { _ = line.appendIfNew(member) }
        Terminal.json(JSON.object(line))
    }

    func finish(_ result: Demonstration.Result, isAsExpected: Bool) {
        let reasons = result.outcome?.reasons.map { JSON.string($0.code) } ?? []
        let line: JSON = [
            "event": "result", "result": .text(result.outcome?.result.rawValue ?? "none"), "reasons": .array(reasons),
            "phone": .text(result.phone?.word ?? "none"), "reports": .int(result.delivered),
            "chainIntact": .bool(result.isChainIntact), "asTold": .bool(isAsExpected),
        ]
        Terminal.json(line)
    }

    private func seconds(_ now: Instant) -> String {
        let millis = now.nanoseconds / 1_000_000
        let fraction = String(millis % 1000)
        return "\(millis / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    private func describe(_ event: Demonstration.Event) -> (String, JSONObject)? {
        switch event {
        case .gate(.kiosk(let note)): (note.name, note.members)
        case .gate(.signal(let signal, let pattern)):
            (
                "signal",
                [
                    "pattern": .text(pattern.rawValue),
                    "lamps": .array(Lamp.allCases.filter(signal.lamps.contains).map { .text($0.rawValue) }),
                    "tone": .bool(signal.tone),
                ]
            )
        case .gate(.phone(let visit, let event)): phone(visit, event)
        case .gate(.violation(let violation)): ("radio.violation", ["what": .text("\(violation)")])
        case .gate(.gate), .gate(.hold), .gate(.invitation): nil  // the kiosk's notes report the same facts
        case .stage(let stage, let time):
            ("stage", ["name": .text(stage.rawValue), "us": .int(Int(time.nanoseconds / 1000))])
        case .verdict(let verdict):
            (
                "verification",
                [
                    "decision": .text(verdict.decision.rawValue),
                    "reasons": .array(verdict.reasons.map { .text($0.code.text) }),
                    "trust": .text(verdict.trust), "policy": .text(verdict.policy),
                ]
            )
        case .recorded(let record):
            ("recorded", ["kind": .text(kind(record)), "seq": .int(record.seq), "visit": .string(record.visit)])
        case .agentConnected: ("agent.connected", [:])
        case .agentUnreachable: ("agent.unreachable", [:])
        case .reportSent(let id): ("report.sent", ["id": .string(id)])
        case .reportDelivered(let report): ("report.delivered", ["report": report])
        }
    }

    private func kind(_ record: LedgerRecord) -> String {
        switch record {
        case .intent: "intent"
        case .outcome: "outcome"
        }
    }

    private func phone(_ visit: Int, _ event: PhoneEvent) -> (String, JSONObject) {
        let (what, members): (String, JSONObject) =
            switch event {
            case .arrived: ("arrived", [:])
            case .scanning(let name): ("scanning", ["name": .text(name)])
            case .found: ("found", [:])
            case .connected: ("connected", [:])
            case .parametersRequested(let isGranted): ("parameters", ["granted": .bool(isGranted)])
            case .pairingRefused(let reason): ("pairing.refused", ["reason": .int(Int(reason))])
            case .wallet(let progress): wallet(progress)
            case .dropped: ("dropped", [:])
            case .violation(let rule): ("violation", ["rule": .text(rule)])
            case .disconnected(let reason): ("disconnected", ["reason": .int(Int(reason))])
            case .finished(let outcome): ("finished", ["outcome": .text(outcome.word)])
            }
        var object: JSONObject = ["visit": .int(visit), "what": .text(what)]
        for member in members.members { _ = object.appendIfNew(member) }
        return ("phone", object)
    }

    private func wallet(_ progress: WalletProgress) -> (String, JSONObject) {
        switch progress {
        case .mtu(let bytes): ("mtu", ["bytes": .int(bytes)])
        case .identified: ("identified", [:])
        case .chosen(let bytes): ("chosen", ["encryptedBytes": .int(bytes)])
        case .sending(let chunk, let total): ("sending", ["chunk": .int(chunk), "total": .int(total)])
        case .reportRequested: ("report.requested", [:])
        case .resending(let chunks, let round): ("resending", ["chunks": .int(chunks), "round": .int(round)])
        case .delivered: ("delivered", [:])
        case .verdict(let isAccepted): ("verdict", ["accepted": .bool(isAccepted)])
        case .dismissed: ("dismissed", [:])
        case .failed(let failure): ("failed", ["code": .text(failure.rawValue)])
        }
    }
}

extension VisitOutcome {
    /// The outcome of the phone's visit as one word for programs. These words never change.
    var word: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .dismissed: "dismissed"
        case .stuck: "stuck"
        case .failed(let failure): failure.rawValue
        case .left: "left"
        case .lost: "lost"
        }
    }
}
