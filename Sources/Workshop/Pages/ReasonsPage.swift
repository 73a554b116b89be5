import Credentials

/// The page `docs/reasons.md`: the table of reasons. A test compares the page with this text.
enum ReasonsPage {
    static var text: String {
        ([introduction] + ReasonCode.groups.map(section) + [phones]).joined(separator: "\n")
    }

    private static let introduction = """
        # Reasons

        Every code that a verdict, a visit, a record, a log or a report of Gatehouse may carry. `gatehouse reasons CODE` prints one of
        them. This page is made by `make reasons` from the table in `Sources/Credentials/Words`, where a new code is added.

        ## Where codes stand

        | where | form |
        |---|---|
        | a verdict, `gatehouse verify` | `"reasons": [{"code", "pointer"?, "severity"}]` |
        | a record, `gatehouse ledger list --json`, and the report to the cloud agent | `"reasons": [{"code", "pointer"?}]` |
        | the log, at `verdict` and `visit.ended` | `"reasons": [code]` |
        | the log, at `fault` and `radio.failed`; the faults of `gatehouse status --json` | `"code"` |

        The `detail` of `fault.radio` and `fault.gpio` begins with the code of what caused them.

        The first reason decided; a pointer (RFC 6901) names the member of the credential that it is about. Those behind it are
        findings on the way, with two exceptions. Behind `ok` stands the rule of the policy that let the visitor in. And where a
        transfer failed, the first code is the one that Tuvali documents (`transfer.T…`), which has many causes; the second tells which
        one it was, and its remedy is the better one. Records of earlier versions have the first alone.

        Severity: an *error* ends the verification or the visit; a *warning* or an *info* does not. What is an error by itself can be a
        warning behind another reason. The last column is the code that MOSIP has for the same finding: its vc-verifier, or Tuvali.

        """

    /// The codes that a phone shows. No record contains them.
    private static var phones: String {
        let rows = WalletCode.all.map { "| `\($0.text)` | \(escaped($0.meaning)) | \(escaped($0.remedy)) |" }
        let head = [
            "## What a phone shows", "",
            "Codes of the wallet's Tuvali library. A gate never has them; its record of the same visit says what the gate saw.",
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
