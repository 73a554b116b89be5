import Crypto
package import Encoding
import LinuxIO

/// A mark that identifies the machine of a backup, so that a restore on another machine is noticed. A board's
/// serial number stays the same when its card is replaced; without a serial number, the ID of the installed
/// system is used. The mark is a hash and discloses neither the serial number nor the ID.
package enum MachineMark {
    /// The files that may hold a number, the best first.
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
