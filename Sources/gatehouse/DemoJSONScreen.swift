import Credentials
import Encoding
import Kiosk
import Ledger
import Simulation

/// One JSON object a line: `{"at":seconds,"event":name,…}`, the last one `{"event":"result",…}`.
struct JSONScreen: DemoScreen {
    func show(_ event: Demonstration.Event, at now: Instant) {
        guard let (name, members) = describe(event) else { return }
        var line: JSONObject = [
            "at": .number(JSONNumber(validated: seconds(now))), "event": .text(name),
        ]
        for member in members.members { _ = line.appendIfNew(member) }
        Terminal.line(JSON.object(line).compactText)
    }

    func finish(_ result: Demonstration.Result, isAsTold: Bool) {
        let reasons = result.outcome?.reasons.map { JSON.string($0.code) } ?? []
        let line: JSON = [
            "event": "result", "result": .text(result.outcome?.result.rawValue ?? "none"), "reasons": .array(reasons),
            "phone": .text(result.phone.map { "\($0)" } ?? "none"), "reports": .int(result.delivered),
            "chainIntact": .bool(result.isChainIntact), "asTold": .bool(isAsTold),
        ]
        Terminal.line(line.compactText)
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
        case .gate(.phone(let visit, let event)): ("phone", ["visit": .int(visit), "what": .text("\(event)")])
        case .gate(.violation(let violation)): ("violation", ["what": .text("\(violation)")])
        case .gate(.gate), .gate(.invitation): nil  // the kiosk's notes say the same
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
            ("recorded", ["seq": .int(record.seq), "visit": .string(record.visit)])
        case .agentConnected: ("agent.connected", [:])
        case .agentUnreachable: ("agent.unreachable", [:])
        case .reportSent(let id): ("report.sent", ["id": .string(id)])
        case .reportDelivered(let report): ("report.delivered", ["report": report])
        }
    }
}
