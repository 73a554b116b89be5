import Crypto
package import Encoding
import LinuxIO

/// Names the machine of a backup, so that one that is put back on another is noticed. A board's own serial number stays when its card is
/// replaced; where there is none, the number of the installed system has to do. It tells nothing of either.
package enum MachineMark {
    /// Where a number is looked for, the best first.
    package static let sources = [
        "/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number", "/etc/machine-id",
    ]

    /// The mark of this machine; empty where it has no number.
    package static func here(_ sources: [String] = Self.sources) -> Text {
        guard let number = sources.lazy.compactMap({ FileBytes.line($0) }).first(where: { !$0.isEmpty }) else {
            return ""
        }
        let hash = SHA256.hash(data: Array("gatehouse/machine/1\u{0}\(number)".utf8))
        return Text(Hex.encode(hash.prefix(16)))
    }
}
