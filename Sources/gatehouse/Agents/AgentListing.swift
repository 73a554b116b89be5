import Clocks
import Console
import Encoding
import Foundation
import LinuxIO
import Observation
import Reasons

/// The text output of the agent commands, made from the service's answers.
enum AgentListing {
    /// Returns the name that the agent gives itself.
    static func name(_ card: ConnectionReport) -> String { text(card.label) ?? "the agent" }

    /// Returns one line for each connection, followed by a line with its problem if it has one.
    static func list(_ cards: [ConnectionReport]) -> [String] {
        guard !cards.isEmpty else { return ["no connection; make one with `gatehouse agent connect URL`"] }
        let head = ["TO", "STATE", "WAIT", "ID", "AGENT"]
        let rows = cards.map { card in
            [
                text(card.destination) ?? "", card.state?.rawValue ?? "", card.waiting.map(String.init) ?? "–",
                text(card.id) ?? "", shortened(name(card), 40),
            ]
        }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
                .trimmingCharacters(in: .whitespaces)
        }
        return [Terminal.styled(line(head), .dim)]
            + zip(cards, rows).flatMap { card, row in [line(row)] + problem(card, indent: "  ") }
    }

    /// Returns the lines about one connection, with all its known data.
    static func card(_ card: ConnectionReport) -> [String] {
        let destination = text(card.destination) ?? ""
        let rows: [(String, String?)] = [
            ("destination", destination + (card.isActive == true ? ", of which it is the current connection" : "")),
            ("reports", reports(card)),
            ("state", card.state?.rawValue), ("last answer", answered(card)),
            ("made", card.made.map(date)), ("goal", goal(card)), ("logo", text(card.logo)),
            ("invitation", text(card.invitation)), ("answers", unsent(card)), ("handshake", text(card.handshake)),
            ("our DID", text(card.ownDID)), ("its DID", text(card.theirDID).map { shortened($0, 60) }),
            ("endpoint", text(card.endpoint)),
            (
                "mailbox",
                destination == "mailbox"
                    ? "over this connection the agent delivers the messages that it stores for this gate"
                    : text(card.mailbox) ?? "none: only answers to this gate's own messages arrive"
            ),
            ("id", text(card.id)),
        ]
        return [Terminal.styled(name(card), .bold)]
            + rows.compactMap { name, value in
                value.map { "  " + name.padding(toLength: 13, withPad: " ", startingAt: 0) + $0 }
            } + problem(card, indent: "") + (card.faults ?? []).flatMap(fault)
    }

    /// Returns one line for each message in the answer.
    static func messages(_ answer: JSON) -> [String] {
        let connections = answer["messages"]?.array ?? []
        guard connections.contains(where: { $0["msgs"]?.array?.isEmpty == false }) else {
            return [
                answer["mailboxes"]?.int == 0
                    ? "no messages: no connection has a mailbox; answers arrive as responses to this gate's own "
                        + "messages"
                    : "no messages: the agents sent none on their own initiative"
            ]
        }
        return connections.flatMap { connection in
            [Terminal.styled(text(connection["pairwiseDID"]?.string) ?? "", .bold)]
                + (connection["msgs"]?.array ?? []).map(message)
        }
    }

    private static func message(_ entry: JSON) -> String {
        let time = entry["time"]?.string.flatMap { Timestamp(rfc3339: $0.string) }
        let columns: [String?] = [
            time.map(date), text(entry["uid"]?.string), text(entry["statusCode"]?.string), kind(entry),
            text(entry["result"]?.string),
        ]
        return "  " + columns.compactMap(\.self).joined(separator: "  ")
    }

    // MARK: - Parts

    private static func problem(_ card: ConnectionReport, indent: String) -> [String] {
        guard let words = text(card.problem?.words) else { return [] }
        let remedy = text(card.problem?.remedy).map {
            Terminal.folded(indent + "  → " + $0, hanging: indent.count + 4)
        }
        return Terminal.folded(indent + Terminal.styled(words, .amber), hanging: indent.count) + (remedy ?? [])
    }

    /// Returns the lines about a reason code: the code with its meaning, and its remedy.
    private static func fault(_ code: Text) -> [String] {
        let text = Terminal.printable(code.string)
        guard let known = ReasonCode.all.first(where: { $0.text == text }) else { return [text] }
        return [Terminal.styled(text, .bold, .amber)] + Terminal.folded("  " + known.meaning, hanging: 2)
            + Terminal.folded("  → " + known.remedy, hanging: 4)
    }

    private static func reports(_ card: ConnectionReport) -> String? {
        guard let confirmed = card.confirmed, let waiting = card.waiting else { return nil }
        if waiting == 0 { return confirmed == 0 ? "none yet" : "all confirmed, up to position \(confirmed)" }
        return "confirmed up to position \(confirmed), \(waiting) queued"
    }

    private static func unsent(_ card: ConnectionReport) -> String? {
        card.unsent.flatMap { $0 == 0 ? nil : "\($0) queued" }
    }

    private static func answered(_ card: ConnectionReport) -> String? {
        if let answered = card.answered { return ago(answered) }
        // Only a link that runs reports this time.
        guard let since = card.answeredSince.map(ago) else { return "unknown: the service is not running" }
        return "none since the service started \(since)"
    }

    private static func ago(_ time: Timestamp) -> String {
        Words.duration(max(0, Int(Machine.clock.utc().seconds - time.seconds))) + " ago"
    }

    private static func goal(_ card: ConnectionReport) -> String? {
        let (goal, code) = (text(card.goal), text(card.goalCode))
        guard let goal else { return code }
        return goal + (code.map { " (\($0))" } ?? "")
    }

    private static func kind(_ message: JSON) -> String? {
        let payload = message["decryptedPayload"]?.string.flatMap { try? JSON.parse($0.string) }
        return text(payload?["@type"]?["name"]?.string) ?? text(message["kind"]?.string) ?? "cannot be read"
    }

    /// Returns a date in the form "2026-01-02 03:04 UTC".
    private static func date(_ date: Timestamp) -> String {
        date.rfc3339.prefix(16).replacing("T", with: " ") + " UTC"
    }

    private static func shortened(_ text: String, _ limit: Int) -> String {
        text.count <= limit ? text : text.prefix(limit - 1) + "…"
    }

    private static func text(_ value: Text?) -> String? { text(value?.string) }
    private static func text(_ value: String?) -> String? { value.map(Terminal.printable) }
}
