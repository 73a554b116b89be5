import SwiftASN1

/// The key in a certificate. Some kinds of keys can sign credentials; other kinds can sign only certificates.
enum CertifiedKey: Sendable {
    /// A key of a kind that a proof can use.
    case usable(PublicKey)
    /// A point on P-521 (SEC 1, uncompressed), which some national roots use.
    case p521(point: [UInt8])
    /// The key is too weak, unreadable or of an unsupported kind. The associated value is the reason.
    case refused(PublicKey.Failure)

    /// Reads a SubjectPublicKeyInfo.
    init(_ node: ASN1Node) {
        do throws(PublicKey.Failure) {
            self = .usable(try KeyEncoding.subjectPublicKeyInfo(Array(node.encodedBytes)))
        } catch {
            if error == .malformed, let point = Self.p521Point(node) {
                self = .p521(point: point)
            } else {
                self = .refused(error)
            }
        }
    }

    private static func p521Point(_ node: ASN1Node) -> [UInt8]? {
        guard let parts = try? X509Certificate.children(of: node), parts.count == 2,
            let algorithm = try? X509Certificate.children(of: parts[0]), algorithm.count == 2,
            (try? ASN1ObjectIdentifier(derEncoded: algorithm[0])) == [1, 2, 840, 10045, 2, 1],
            (try? ASN1ObjectIdentifier(derEncoded: algorithm[1])) == [1, 3, 132, 0, 35],
            let key = try? ASN1BitString(derEncoded: parts[1]), key.paddingBits == 0,
            key.bytes.count == 133, key.bytes.first == 4
        else { return nil }
        return Array(key.bytes)
    }
}
