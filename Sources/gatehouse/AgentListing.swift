import Clocks
import Credentials
import Encoding
import Foundation
import LinuxIO
import Observation

/// The output of the agent commands for people, made from the service's answers.
enum AgentListing {
    /// Returns the name that the agent gives itself.
    static func name(_ card: JSON) -> String { text(card["label"]) ?? "the agent" }

    /// Returns all connections, one line each, and below it the problem of the connection.
    static func list(_ cards: [JSON]) -> [String] {
        guard !cards.isEmpty else { return ["no connection; make one with `gatehouse agent connect URL`"] }
        let head = ["TO", "STATE", "WAIT", "ID", "AGENT"]
        let rows = cards.map { card in
            [
                text(card["destination"]) ?? "", text(card["state"]) ?? "",
                card["waiting"]?.int.map(String.init) ?? "–", text(card["id"]) ?? "", shortened(name(card), 40),
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

    /// Returns one connection, with all that is known about it.
    static func card(_ card: JSON) -> [String] {
        let destination = text(card["destination"]) ?? ""
        let rows: [(String, String?)] = [
            ("destination", destination + (card["present"] == true ? ", to which it is the present way" : "")),
            ("reports", reports(card)),
            ("state", text(card["state"])), ("last answer", answered(card)),
            ("made", date(card["made"])), ("goal", goal(card)), ("logo", text(card["logo"])),
            ("invitation", text(card["invitation"])), ("handshake", text(card["handshake"])),
            ("our DID", text(card["pwDid"])), ("its DID", text(card["theirDid"]).map { shortened($0, 60) }),
            ("endpoint", text(card["endpoint"])),
            (
                "mailbox",
                destination == "mailbox"
                    ? "over this connection the agent hands over what it keeps for us"
                    : text(card["mailbox"]) ?? "none: only answers to our own messages arrive"
            ),
            ("id", text(card["id"])),
        ]
        return [Terminal.styled(name(card), .bold)]
            + rows.compactMap { name, value in
                value.map { "  " + name.padding(toLength: 13, withPad: " ", startingAt: 0) + $0 }
            } + problem(card, indent: "") + (card["faults"]?.array ?? []).flatMap(fault)
    }

    /// Returns the waiting messages, one line each.
    static func messages(_ answer: JSON) -> [String] {
        let connections = answer["messages"]?.array ?? []
        guard connections.contains(where: { $0["msgs"]?.array?.isEmpty == false }) else {
            return [
                answer["mailboxes"]?.int == 0
                    ? "no messages: no connection has a mailbox, answers come with our own messages"
                    : "no messages: what came was understood and released"
            ]
        }
        return connections.flatMap { connection in
            [Terminal.styled(text(connection["pairwiseDID"]) ?? "", .bold)]
                + (connection["msgs"]?.array ?? []).map { message in
                    "  "
                        + [text(message["uid"]), text(message["statusCode"]), kind(message)].compactMap { $0 }
                        .joined(separator: "  ")
                }
        }
    }

    // MARK: - Parts

    private static func problem(_ card: JSON, indent: String) -> [String] {
        guard let words = text(card["problem"]?["text"]) else { return [] }
        let remedy = text(card["problem"]?["remedy"]).map {
            Terminal.folded(indent + "  → " + $0, hanging: indent.count + 4)
        }
        return Terminal.folded(indent + Terminal.styled(words, .amber), hanging: indent.count) + (remedy ?? [])
    }

    /// Returns a code of the reason table, with its meaning and its remedy.
    private static func fault(_ code: JSON) -> [String] {
        guard let text = text(code) else { return [] }
        guard let known = ReasonCode.all.first(where: { $0.text == text }) else { return [text] }
        return [Terminal.styled(text, .bold, .amber)] + Terminal.folded("  " + known.meaning, hanging: 2)
            + Terminal.folded("  → " + known.remedy, hanging: 4)
    }

    private static func reports(_ card: JSON) -> String? {
        guard let confirmed = card["confirmed"]?.int, let waiting = card["waiting"]?.int else { return nil }
        if waiting == 0 { return confirmed == 0 ? "none yet" : "all confirmed, up to record \(confirmed)" }
        return "confirmed up to record \(confirmed), \(waiting) wait\(waiting == 1 ? "s" : "")"
    }

    private static func answered(_ card: JSON) -> String? {
        if let answered = ago(card["answered"]) { return answered }
        // Only a running connection has this time.
        guard let since = ago(card["answeredSince"]) else { return "not known: it does not run" }
        return "none since it began to run \(since)"
    }

    private static func ago(_ time: JSON?) -> String? {
        text(time).flatMap { Timestamp(rfc3339: $0) }.map {
            Words.duration(max(0, Int(Machine.clock.utc().seconds - $0.seconds))) + " ago"
        }
    }

    private static func goal(_ card: JSON) -> String? {
        let (goal, code) = (text(card["goal"]), text(card["goalCode"]))
        guard let goal else { return code }
        return goal + (code.map { " (\($0))" } ?? "")
    }

    private static func kind(_ message: JSON) -> String? {
        let payload = message["decryptedPayload"]?.string.flatMap { try? JSON.parse($0.string) }
        return payload == .null ? "cannot be read" : text(payload?["@type"]?["name"])
    }

    /// Returns a date in the form "2026-01-02 03:04 UTC"; nil if the value is no text.
    private static func date(_ value: JSON?) -> String? {
        text(value).map { $0.prefix(16).replacing("T", with: " ") + " UTC" }
    }

    private static func shortened(_ text: String, _ limit: Int) -> String {
        text.count <= limit ? text : text.prefix(limit - 1) + "…"
    }

    private static func text(_ value: JSON?) -> String? { value?.string.map { Terminal.printable($0.string) } }
}
