import Encoding

/// The pinned certificates: the roots at which paths end, and signing certificates that are trusted directly.
struct CertificateRoots: Sendable {
    /// The file is no list of certificates in PEM.
    struct Malformed: Error, Hashable {}

    /// The certificates by ``X509Certificate/content``.
    private var certificates: [[UInt8]: X509Certificate] = [:]
    private var bySubject: [ArraySlice<UInt8>: [X509Certificate]] = [:]

    /// Creates an empty set.
    init() {}

    /// Adds the certificates of a PEM file (RFC 7468). Text around the blocks is ignored. A file without a block, or
    /// with a damaged block or a block of another kind, is unusable.
    mutating func add(pem: [UInt8]) throws(Malformed) {
        for der in try Self.blocks(pem) {
            guard let certificate = X509Certificate(der) else { throw Malformed() }
            let content = certificate.content
            guard certificates[content] == nil else { continue }
            certificates[content] = certificate
            bySubject[certificate.subject, default: []].append(certificate)
        }
    }

    /// The prefix of the ids of pinned certificates.
    static let idPrefix: Text = "x509:sha256:"

    /// Returns the id of a certificate: the prefix and the SHA-256 of the DER in lower-case hexadecimal.
    static func id(ofDigest digest: [UInt8]) -> Text { Text(idPrefix.string + Hex.encode(digest)) }

    /// The pinned certificates, in no order.
    var all: [X509Certificate] { Array(certificates.values) }

    /// The SHA-256 of each pinned certificate (DER).
    var digests: [[UInt8]] { certificates.values.map(\.digest) }

    /// Returns the pinned certificate with the same ``X509Certificate/content``; nil if there is none. The signatures
    /// of the two certificates may differ.
    func pinned(_ certificate: X509Certificate) -> X509Certificate? { certificates[certificate.content] }

    /// Returns the pinned certificates with the subject name `subject` (DER).
    func named(_ subject: ArraySlice<UInt8>) -> [X509Certificate] { bySubject[subject] ?? [] }

    private static func blocks(_ pem: [UInt8]) throws(Malformed) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var open: [UInt8]?
        for line in pem.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
            switch (open, line.starts(with: "-----".utf8)) {
            case (nil, true):
                guard line.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) else { throw Malformed() }
                open = []
            case (nil, false): continue
            case (.some, false): open?.append(contentsOf: line)
            case (.some(let letters), true):
                guard line.elementsEqual("-----END CERTIFICATE-----".utf8),
                    let der = Base64.decodeAny(String(decoding: letters, as: UTF8.self))
                else { throw Malformed() }
                blocks.append(der)
                open = nil
            }
        }
        guard open == nil, !blocks.isEmpty else { throw Malformed() }
        return blocks
    }
}
