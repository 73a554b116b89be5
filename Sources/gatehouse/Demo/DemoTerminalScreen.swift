import Console
import Credentials
import Displays
import Encoding
import Foundation
import Kiosk
import Ledger
import Reasons
import Simulation
import Synchronization
import Workbench

/// The output of a demonstration as text for people, one line per event. On a terminal, the lines appear as slowly as
/// the events of a real visit.
final class TerminalScreen: DemoScreen {
    private struct State {
        var last = Instant.zero
        var visible: String?
        var hasProgress = false
        var stages: [(Stage, Duration)] = []
        /// The verdict between the end of the verification and the kiosk's decision. It is printed at the decision: the
        /// verifier ends within one turn of the virtual clock, and the line about the light "checking" must come first.
        var verdict: Verdict?
        /// Lines about light and gate (instant, part, text) that are printed after the verdict's reasons, although
        /// light and gate change before the reasons are printed.
        var held: [(Instant, String, String)] = []
        var hasShownInvitation = false
    }

    private let story: DemoScenario
    private let isPaced: Bool
    private let state = Mutex(State())

    init(story: DemoScenario, isPaced: Bool) {
        (self.story, self.isPaced) = (story, isPaced)
        Terminal.line(Terminal.styled("Gatehouse demonstration: \(story.name)", .bold))
        Terminal.line(story.story)
        Terminal.line(
            Terminal.styled("Real: kiosk, Bluetooth host, Tuvali, verifier, ledger, agent connection.", .dim))
        Terminal.line(Terminal.styled("Virtual: radio, phone, cloud agent, clock.", .dim))
        Terminal.line()
    }

    func show(_ event: Demonstration.Event, at now: Instant) {
        state.withLock { state in
            pace(&state, now)
            switch event {
            case .gate(let observation): gate(observation, now, &state)
            case .stage(let stage, let time): state.stages.append((stage, time))
            case .verdict(let verdict): state.verdict = verdict
            case .recorded(let record):
                if case .intent = record {
                    line(now, "ledger", "intent recorded durably, before the gate can open", &state)
                }
                if case .outcome(let outcome) = record {
                    line(
                        now, "ledger", "outcome recorded as visit \(outcome.seq): \(outcome.outcome.result.rawValue)",
                        &state)
                }
            case .agentConnected: line(now, "agent", "connected (out-of-band, did-exchange 1.1, did:peer:4)", &state)
            case .agentUnreachable:
                line(now, "agent", "not reachable; the report is queued and will be retried", &state)
            case .reportSent(let id):
                line(now, "agent", "the agent confirmed report \(id.string.prefix(8))…: delivered", &state)
            case .reportDelivered(let report): show(report, now, &state)
            }
        }
    }

    func finish(_ result: Demonstration.Result, isAsExpected: Bool) {
        state.withLock { endProgress(&$0) }
        Terminal.line()
        let outcome = result.outcome?.result.rawValue ?? "no outcome"
        let reasons = result.outcome?.reasons.map(\.code.string).filter { $0 != ReasonCode.ok.text } ?? []
        let detail = reasons.isEmpty ? "" : " (" + reasons.joined(separator: ", ") + ")"
        let verdict = Terminal.styled(
            outcome.uppercased() + detail, .bold, result.outcome?.result == .accepted ? .green : .red)
        Terminal.line(
            "\(verdict)  phone: \(result.phone?.word ?? "no answer")  reports delivered: \(result.delivered)  "
                + "ledger: \(result.isChainIntact ? "intact" : "BROKEN")")
        if story.ending != nil {
            Terminal.line(
                isAsExpected
                    ? "Demo passed: every expectation held."
                    : Terminal.styled(
                        "Demo FAILED: an expectation did "
                            + "not hold.", .red))
        }
    }

    // MARK: - Observations

    private func gate(_ observation: GateSimulation.Observation, _ now: Instant, _ state: inout State) {
        switch observation {
        case .invitation(let uri?):
            guard !state.hasShownInvitation else { return }
            state.hasShownInvitation = true
            if let code = try? QRCode(uri) {
                for row in code.terminalLines(colours: Terminal.hasColour) { Terminal.line("  " + row) }
            }
            Terminal.line("  \(uri)")
            Terminal.line()
        case .signal(let signal, let pattern):
            let lit = signal.outputs.map(\.name)
            let text =
                "\(lamps(signal))  \(padded(pattern.rawValue, 10)) \(Terminal.styled(lit.joined(separator: ", "), .dim))"
            // Print each pattern only once, when its lamps are first lit: a blinking lamp would fill the screen with
            // lines.
            // lit.
            guard state.visible != pattern.rawValue, !signal.lamps.isEmpty else { return }
            state.visible = pattern.rawValue
            hold(now, "light", text, if: pattern != .checking, &state)
        case .gate(let open):
            hold(now, "gate", open ? Terminal.styled("OPEN", .bold, .green) : "shut", if: true, &state)
        case .phone(_, let event): phone(event, now, &state)
        case .kiosk(let note): kiosk(note, now, &state)
        case .violation(let violation): line(now, "radio", "HCI rule violated: \(violation)", &state)
        case .invitation(nil), .hold: break
        }
    }

    private func hold(_ now: Instant, _ who: String, _ text: String, if isEffect: Bool, _ state: inout State) {
        if isEffect, state.verdict != nil {
            state.held.append((now, who, text))
        } else {
            line(now, who, text, &state)
        }
    }

    private func phone(_ event: PhoneEvent, _ now: Instant, _ state: inout State) {
        switch event {
        case .arrived: line(now, "phone", "a visitor scans the gate's code", &state)
        case .found: line(now, "phone", "finds the gate's advertisement: name and key match the code", &state)
        case .wallet(.identified):
            line(now, "phone", "secure channel established; the holder chooses a credential", &state)
        case .wallet(.resending(let chunks, let round)):
            line(now, "phone", "repeats \(chunks) lost chunks (round \(round))", &state)
        case .wallet(.verdict(let accepted)): line(now, "phone", "shows: \(accepted ? "accepted" : "rejected")", &state)
        case .wallet(.failed(let failure)): line(now, "phone", "gave up: \(failure.rawValue)", &state)
        case .finished: line(now, "phone", "leaves", &state)
        default: break
        }
    }

    private func kiosk(_ note: KioskNote, _ now: Instant, _ state: inout State) {
        switch note {
        case .radioReady(let text): line(now, "radio", "controller ready: \(text)", &state)
        case .phoneConnected: line(now, "radio", "phone connected", &state)
        case .mtu(let bytes): line(now, "radio", "ATT MTU \(bytes)", &state)
        case .transferStarted(let bytes, let chunks):
            line(
                now, "radio", "\(bytes) encrypted bytes are coming in \(chunks) chunk\(chunks == 1 ? "" : "s")", &state)
        case .progress(let received, let total, _): progress(received, total, now, &state)
        case .received(let bytes, let crcErrors, let repairs):
            endProgress(&state)
            let repaired = repairs > 0 ? ", \(repairs) repair round\(repairs == 1 ? "" : "s")" : ""
            line(
                now, "radio", "complete, authenticated, decrypted: \(bytes) bytes (\(crcErrors) CRC errors\(repaired))",
                &state
            )
        case .radioFailed(let failure, _): line(now, "radio", failure.description, &state)
        case .ledgerFailed(let failure): line(now, "ledger", failure.description, &state)
        case .decided: showVerdict(now, &state)
        case .verdictWaits(let others): line(now, "gate", "the verdict waits for \(others) earlier verdicts", &state)
        case .adapterReset: line(now, "radio", "requests a reset of the adapter", &state)
        case .stopped, .advertising, .radioLapsed, .phonesLimited, .identified, .gate, .visitEnded, .fault, .doorMode,
            .passage, .notPassed, .exitRequested:
            break
        }
    }

    private func showVerdict(_ now: Instant, _ state: inout State) {
        guard let verdict = state.verdict else { return }
        state.verdict = nil
        let total = state.stages.reduce(Duration.zero) { $0 + $1.1 }
        for (stage, time) in state.stages {
            let isLast = stage == state.stages.last?.0 && !verdict.isAccepted
            let mark = isLast ? Terminal.styled("✗", .red) : Terminal.styled("✓", .green)
            let figure = Terminal.styled(milliseconds(time), .dim)
            line(now, "verify", "\(mark) \(padded(stage.title, 37))\(figure)", &state)
        }
        state.stages = []
        for reason in verdict.reasons where reason.code != .ok {
            let place = reason.pointer.map { " at \(Terminal.printable($0))" } ?? ""
            line(now, "verify", Terminal.styled("\(reason.code)\(place)", .bold), &state)
            explain(reason.code.meaning)
            if reason.severity != .info { explain("→ " + reason.code.remedy) }
        }
        let word =
            verdict.isAccepted ? Terminal.styled("accept", .bold, .green) : Terminal.styled("reject", .bold, .red)
        let time = milliseconds(total).drop { $0 == " " }
        line(now, "verify", "verdict: \(word) after \(time) on this machine, offline", &state)
        for (time, part, text) in state.held { line(time, part, text, &state) }
        state.held = []
    }

    private func explain(_ text: String) {
        for line in Terminal.folded(indent + text, hanging: indent.count + 2) {
            Terminal.line(Terminal.styled(line, .dim))
        }
    }

    private func show(_ report: JSON, _ now: Instant, _ state: inout State) {
        line(now, "agent", "the report arrives; the agent's controller receives:", &state)
        for name in ["id", "seq", "time", "result", "reasons", "credential", "gate"] as [Text] {
            guard let value = report[name] else { continue }
            guard let members = value.object?.members else {
                detail(name.string, value)
                continue
            }
            // Print only the members that describe the credential and the opening. The JSON output contains all
            // members, such as the proof.
            for member in members where ["format", "issuer", "types", "opened", "relayMs"].contains(member.name) {
                detail("\(name).\(member.name)", member.value)
            }
        }
    }

    private func detail(_ name: String, _ value: JSON) {
        let text = Terminal.printable(value.string?.string ?? value.compactText)
        let room = max(Terminal.columns - indent.count - 19, 20)
        let shown = text.count > room ? String(text.prefix(room - 1)) + "…" : text
        Terminal.line(Terminal.styled(indent + padded(name, 19) + shown, .dim))
    }

    // MARK: - Printed lines

    /// The blanks before the text of a line: the columns of the time and the part.
    private let indent = String(repeating: " ", count: 19)

    private func line(_ now: Instant, _ who: String, _ text: String, _ state: inout State) {
        endProgress(&state)
        let seconds = String(format: "%7.3f s", Double(now.nanoseconds) / 1e9)
        let whole = "\(Terminal.styled(seconds, .dim))  \(padded(who, 7)) \(text)"
        // Do not fold lines in a pipe: the program that reads them may search for whole sentences.
        let parts = Terminal.isInteractive ? Terminal.folded(whole, hanging: indent.count) : [whole]
        for part in parts { Terminal.line(part) }
    }

    private func progress(_ received: Int, _ total: Int, _ now: Instant, _ state: inout State) {
        guard Terminal.isInteractive else { return }
        let width = 32
        let full = total > 0 ? received * width / total : 0
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        let seconds = String(format: "%7.3f s", Double(now.nanoseconds) / 1e9)
        Terminal.write(
            "\(Terminal.styled(seconds, .dim))  radio   \(bar) \(received)/\(total) chunks", overwrites: true)
        state.hasProgress = true
    }

    private func endProgress(_ state: inout State) {
        if state.hasProgress { Terminal.line() }
        state.hasProgress = false
    }

    /// Sleeps for the time by which the virtual clock has advanced since the last event, but at most for 0.6 s: the
    /// person at the terminal should not have to wait while the virtual phone is idle.
    private func pace(_ state: inout State, _ now: Instant) {
        let passed = state.last.duration(to: now)
        state.last = max(state.last, now)
        guard isPaced, passed > .zero else { return }
        Thread.sleep(forTimeInterval: min(Double(passed.nanoseconds) / 1e9, 0.6))
    }

    private func lamps(_ signal: Signal) -> String {
        let styles: [Lamp: Terminal.Style] = [.blue: .blue, .amber: .amber, .green: .green, .red: .red]
        let places = Lamp.allCases.map { lamp in
            signal.lamps.contains(lamp) ? Terminal.styled("●", styles[lamp] ?? .bold) : Terminal.styled("○", .dim)
        }
        return places.joined(separator: " ") + (signal.tone ? " ♪" : "  ")
    }

    private func milliseconds(_ time: Duration) -> String { String(format: "%6.2f ms", time.milliseconds) }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
