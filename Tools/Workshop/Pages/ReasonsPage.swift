import Reasons

/// The page `docs/reasons.md`: the table of all reason codes. A test compares the page with this text.
enum ReasonsPage {
    static var text: String {
        ([introduction] + ReasonCode.groups.map(section) + [phones]).joined(separator: "\n")
    }

    private static let introduction = """
        # Reasons

        All codes of verdicts, visits, records, logs and reports of Gatehouse. `gatehouse reasons CODE` prints one of them.
        `make reasons` generates this page from the table in `Sources/Reasons`, where a new code is added.

        ## Where codes occur

        | where | form |
        |---|---|
        | a verdict, `gatehouse verify` | `"reasons": [{"code", "pointer"?, "severity"}]` |
        | a record, `gatehouse ledger list --json`, and the report to the cloud agent | `"reasons": [{"code", "pointer"?}]` |
        | the log, at `verdict` and `visit.ended` | `"reasons": [code]` |
        | the log, at `fault` and `radio.failed`; the faults of `gatehouse status --json` | `"code"` |

        The `detail` of `fault.radio` and `fault.gpio` begins with the code of their cause.

        The first reason decided; a pointer (RFC 6901) names the member of the credential that it is about. The reasons after it
        are further findings, with two exceptions. After `ok` follows the rule of the policy that admitted the visitor. And after
        a failed transfer the first code is the one that Tuvali documents (`transfer.T…`), which has many causes; the second code
        is the cause, and its remedy is the more specific one. Records of earlier versions contain only the first code.

        Severity: an *error* ends the verification or the visit; a *warning* or an *info* does not. A code that is an error as
        the first reason can be a warning after another one. The last column is MOSIP's code for the same finding, in its
        vc-verifier or in Tuvali.

        """

    /// The section about the codes that a phone shows. No record contains these codes.
    private static var phones: String {
        let rows = WalletCode.all.map { "| `\($0.text)` | \(escaped($0.meaning)) | \(escaped($0.remedy)) |" }
        let head = [
            "## What a phone shows", "",
            "Codes of the wallet's Tuvali library. A gate never uses them; its record of the same visit contains the gate's own code.",
            "",
            "| code | meaning | what to do |", "|---|---|---|",
        ]
        return (head + rows).joined(separator: "\n") + "\n"
    }

    private static func section(_ group: ReasonCode.Group) -> String {
        let rows = group.codes.map { row in
            let cells = [
                "`\(row.text)`", row.severity.rawValue, escaped(row.meaning), escaped(row.remedy),
                row.mosip.map { "`\($0)`" } ?? "",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let head = [
            "## \(group.title)", "", "| code | severity | meaning | what to do | MOSIP |", "|---|---|---|---|---|",
        ]
        return (head + rows).joined(separator: "\n") + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing("|", with: "\\|")
    }
}
