package import Encoding
import SwiftASN1

/// A purpose that extendedKeyUsage lists (KeyPurposeId, RFC 5280 section 4.2.1.12).
package struct KeyPurposeID: Hashable, Sendable {
    let identifier: ASN1ObjectIdentifier

    init(identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    /// Reads numbers with dots, such as `1.0.18013.5.1.2`; nil for any other text and for more than 128 letters. The
    /// first number is 0, 1 or 2. After 0 or 1, the second number is less than 40 (X.660 section 7.6). The second
    /// number has at most 32 bits, and each further number at most 63.
    package init?(_ text: Text) {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard isPlain, text.utf8.count <= 128 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        // SwiftASN1 adds the first two numbers without an overflow check, so their values are limited here.
        guard numbers.count == parts.count, numbers.count >= 2, numbers[0] <= 2,
            numbers[1] < (numbers[0] < 2 ? 40 : 1 << 32),
            let identifier = try? ASN1ObjectIdentifier(dotRepresentation: text.string)
        else { return nil }
        self.identifier = identifier
    }

    /// The identifier as numbers with dots.
    package var text: Text { Text(identifier.description) }

    /// Whether the purpose is for TLS connections only (id-kp-serverAuth, id-kp-clientAuth). Every operator of a web
    /// server has a key for this purpose, so the purpose says nothing about credentials.
    package var isForConnections: Bool { self == Self.serverAuth || self == Self.clientAuth }

    private static let serverAuth = KeyPurposeID(identifier: [1, 3, 6, 1, 5, 5, 7, 3, 1])
    private static let clientAuth = KeyPurposeID(identifier: [1, 3, 6, 1, 5, 5, 7, 3, 2])

    /// id-kp-documentSigning (RFC 9336): the signing of documents for people or programs.
    static let documentSigning = KeyPurposeID(identifier: [1, 3, 6, 1, 5, 5, 7, 3, 36])

    /// The purposes of document signers of mdocs: id-mdl-kp-mdlDS (ISO/IEC 18013-5 section B.1.4), and the purpose in
    /// the European Digital Identity Wallet's reference implementation for a PID.
    static let documentSigners = [
        KeyPurposeID(identifier: [1, 0, 18013, 5, 1, 2]), KeyPurposeID(identifier: [1, 3, 130, 2, 0, 0, 1, 2]),
    ]
}
