import Crypto
package import Encoding
import LinuxIO

/// The mark of a machine in a backup, from which a restore on another machine is noticed. It is made from the board's
/// serial number, which stays the same when the card is replaced, or else from the id of the installed system. The
/// mark is a hash and discloses neither of them.
package enum MachineMark {
    /// The files that may contain such a number, in the order of preference.
    package static let sources = [
        "/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number", "/etc/machine-id",
    ]

    /// Returns the mark of this machine; empty if the machine has no identifying number.
    package static func here(_ sources: [String] = Self.sources) -> Text {
        guard let number = sources.lazy.compactMap({ FileBytes.line($0) }).first(where: { !$0.isEmpty }) else {
            return ""
        }
        let hash = SHA256.hash(data: Array("gatehouse/machine/1\u{0}\(number)".utf8))
        return Text(Hex.encode(hash.prefix(16)))
    }
}
