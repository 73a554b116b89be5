import Crypto
import Encoding

/// The identifiers of log lines for journald (MESSAGE_ID): one for each reason code, and one for each event whose
/// lines contain no code.
///
/// Each identifier is computed from the name of its code or event, so that other programs can compute it too: it is
/// the UUID version 5 (RFC 9562 section 5.5) of the name in the namespace of this project, as `uuidgen --sha1
/// --namespace 9d6f5d1c-4f0e-4c8e-8a53-6f0d2f3b7c11 --name fault.radio` prints it. The identifiers never change.
package enum MessageID {
    /// The UUID of this project's namespace: 9d6f5d1c-4f0e-4c8e-8a53-6f0d2f3b7c11.
    private static let space: [UInt8] = [
        0x9D, 0x6F, 0x5D, 0x1C, 0x4F, 0x0E, 0x4C, 0x8E, 0x8A, 0x53, 0x6F, 0x0D, 0x2F, 0x3B, 0x7C, 0x11,
    ]

    /// Returns the identifier of the code or event `name`: 32 hexadecimal digits, as journald writes it.
    package static func of(_ name: String) -> String {
        var bytes = Array(Insecure.SHA1.hash(data: space + name.utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hex.encode(bytes)
    }
}
