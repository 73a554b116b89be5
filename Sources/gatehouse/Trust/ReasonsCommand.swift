import ArgumentParser
import Console
import Encoding
import Reasons

/// The command `gatehouse reasons`: prints all reason codes, or those that the argument names.
struct ReasonsCommand: PageCommand {
    static let configuration = CommandConfiguration(
        commandName: "reasons", abstract: "Explains a reason code: its meaning and its remedy.",
        discussion: """
            Without a code it lists all codes of verdicts, records, logs and reports. Codes of the gate's own rules \
            are policy. and the rule's id. The beginning of a code, such as fault., lists all codes that begin with \
            it. Codes that a phone shows (TVW_CON_002) are explained, too.

            Exit code: 2 for an unknown code; the nearest code is named.
            """)

    @Flag(help: "One JSON object per line, for machines.")
    var json = false
    @Argument(help: "A code, such as validity.expired.")
    var code: String?

    func text(columns: Int) throws -> String {
        let lines =
            if let code {
                try rows(code).flatMap { json ? [Self.json($0)] : Self.facts($0, columns) }
            } else {
                json ? ReasonCode.all.map(Self.json) : Self.table(columns)
            }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns the rows for the text `code`: the row of that reason code, the rows for a code of MOSIP's wallet, or all
    /// rows of a family, such as `fault.`. Throws if no row matches.
    private func rows(_ code: String) throws -> [ReasonCode] {
        if let row = ReasonCode.named(code) ?? WalletCode.row(code) { return [row] }
        let theirs = ReasonCode.all.filter { $0.mosip == code && $0.refines == nil }
        if !theirs.isEmpty { return theirs }
        if code.hasSuffix("."), case let family = ReasonCode.all.filter({ $0.text.hasPrefix(code) }), !family.isEmpty {
            return family
        }
        throw CommandFailure(
            "there is no reason \(Terminal.printable(String(code.prefix(100))))",
            remedy: "the nearest is \(ReasonCode.nearest(to: code)); without a code all codes are listed")
    }

    private static func json(_ row: ReasonCode) -> String {
        let members: [(Text, String?)] = [
            ("code", row.text), ("severity", row.severity.rawValue), ("meaning", row.meaning), ("remedy", row.remedy),
            ("mosip", row.mosip), ("refines", row.refines),
        ]
        var object = JSONObject()
        for (name, value) in members { object[name] = value.map { .text($0) } }
        return JSON.object(object).compactText
    }

    // MARK: - Text output

    private static func facts(_ row: ReasonCode, _ columns: Int) -> [String] {
        let causes = ReasonCode.all.filter { $0.refines == row.text }.map(\.text)
        let facts: [(String, String?)] = [
            ("severity", row.severity.rawValue), ("meaning", row.meaning), ("remedy", row.remedy),
            ("MOSIP", row.mosip), ("follows", row.refines),
            ("causes", causes.isEmpty ? nil : causes.joined(separator: ", ")),
        ]
        var lines = [Terminal.styled(Terminal.printable(row.text), .bold)]
        for case (let name, let text?) in facts {
            let label = "  " + name + String(repeating: " ", count: 10 - name.count)
            lines += Terminal.folded(label + Terminal.printable(text), hanging: 12, columns: columns)
        }
        return lines
    }

    private static func table(_ columns: Int) -> [String] {
        let indent = 4 + (ReasonCode.all.map(\.text.count).max() ?? 0)
        var lines: [String] = []
        for group in ReasonCode.groups {
            if !lines.isEmpty { lines.append("") }
            lines.append(Terminal.styled(group.title, .bold))
            for row in group.codes {
                let code = "  " + row.text + String(repeating: " ", count: indent - 2 - row.text.count)
                let space = String(repeating: " ", count: indent)
                lines += Terminal.folded(code + row.meaning, hanging: indent, columns: columns)
                lines += Terminal.folded(space + "→ " + row.remedy, hanging: indent + 2, columns: columns)
                    .map { Terminal.styled($0, .dim) }
            }
        }
        return lines
    }
}
