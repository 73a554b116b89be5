import GateService
import Kiosk
import Reasons

/// The texts that journalctl --catalog prints below a fault's line (systemd, "Journal Message Catalogs"): its
/// meaning and its remedy.
enum ReasonsCatalog {
    /// The catalog, with every fault that the service logs.
    static var text: String {
        let head = "# The meaning of Gatehouse's faults, for journalctl --catalog. Made by: make reasons\n"
        return head + Health.codes.map(entry).joined()
    }

    private static func entry(_ code: ReasonCode) -> String {
        // A line that begins with "-- " would begin another entry; no text of the table begins so.
        """

        -- \(MessageID.of(code.text))
        Subject: \(code.text)
        Defined-By: Gatehouse
        Documentation: man:gatehouse(1)

        \(code.meaning)

        \(code.remedy)

        """
    }
}
