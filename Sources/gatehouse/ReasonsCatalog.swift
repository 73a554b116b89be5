import Appliance
import Credentials
import Kiosk

/// What journalctl --catalog tells below a fault's line (systemd, "Journal Message Catalogs"): its meaning and what to do.
enum ReasonsCatalog {
    /// The catalog of every fault that the service logs.
    static var text: String {
        let head = "# What faults of Gatehouse mean, for journalctl --catalog. Made by: gatehouse reasons --catalog\n"
        return head + Health.codes.map(entry).joined()
    }

    private static func entry(_ code: ReasonCode) -> String {
        // A line that begins with "-- " would be another entry; the table has none.
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
