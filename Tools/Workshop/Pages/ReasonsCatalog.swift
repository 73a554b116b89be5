import GateService
import Kiosk
import Reasons

/// The message catalog for `journalctl --catalog` (systemd, "Journal Message Catalogs"), which prints the meaning and
/// the remedy below a fault's line.
enum ReasonsCatalog {
    /// The content of the catalog, with every fault that the service logs.
    static var text: String {
        let head = "# The meaning of Gatehouse's faults, for journalctl --catalog. Made by: make reasons\n"
        return head + Health.codes.map(entry).joined()
    }

    private static func entry(_ code: ReasonCode) -> String {
        // A line that begins with "-- " would begin another entry. No meaning or remedy begins like this.
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
