import Encoding
import Foundation
import TestKit

@testable import Credentials

extension FuzzTarget {
    /// CBOR: every item keeps its own bytes, and the deterministic encoding of a value is unique.
    static let cbor = FuzzTarget(
        name: "cbor", longest: 4096,
        seeds: { MdocFiles.all + MdocFiles.parts + samples },
        check: { bytes in
            guard let item = try? CBOR.decode(bytes) else { return }
            require(item.encoded.elementsEqual(bytes), "an item is the bytes it was read from")
            checkParts(of: item)
            let written = item.value.deterministicBytes
            guard let again = try? CBOR.decode(written) else { return require(false, "written CBOR is CBOR") }
            require(again.value.deterministicBytes == written, "deterministic encoding has one form")
        })

    /// The diagnostic values of RFC 8949 appendix A that differ in kind.
    private static let samples: [[UInt8]] = [
        "1bffffffffffffffff", "c249010000000000000000", "3bffffffffffffffff", "f97c00", "fb7ff0000000000000", "f93c00",
        "fa47c35000", "fb3ff199999999999a", "f7", "f8ff", "c074323031332d30332d32315432303a30343a30305a",
        "c11a514b67b0",
        "d818456449455446", "5f42010243030405ff", "7f657374726561646d696e67ff", "9f018202039f0405ffff",
        "bf61610161629f0203ffff",
        "a56161614161626142616361436164614461656145", "826161bf61626163ff", "a201020304", "98190102", "64f0908591",
    ].compactMap { Hex.decode($0) }

    private static func checkParts(of item: CBOR) {
        func check(_ part: CBOR) {
            let own = part.encoded
            require(item.encoded.startIndex <= own.startIndex && own.endIndex <= item.encoded.endIndex, "bytes inside")
            checkParts(of: part)
        }
        switch item.value {
        case .array(let elements): for element in elements { check(element) }
        case .map(let pairs):
            for pair in pairs {
                check(pair.key)
                check(pair.value)
            }
        case .tag(_, let content): check(content)
        default: return
        }
    }
}

extension FuzzTarget {
    /// X.509: a DER certificate by itself, and a path to the roots of the vectors.
    static let certificate = FuzzTarget(
        name: "certificate", longest: 4096,
        seeds: { pem.flatMap { certificates(in: $0) } },
        check: { bytes in
            guard let certificate = X509Certificate(bytes) else { return }
            require(certificate.isSelfIssued == (certificate.issuer == certificate.subject), "names")
            for role in [SignerRole.token(of: issuer), .statusList(of: issuer)]
                + trust.map({ SignerRole.document($0, docType: nil) })
            {
                for chain in [[bytes], [bytes, bytes]] {
                    _ = try? CertificatePath.signer(
                        of: chain, role: role, roots: roots, at: Timestamp(seconds: 1_790_000_000), profile: .compat,
                        limits: Limits())
                }
            }
        })

    private static let pem = SeedFiles.files("mdoc", endings: [".pem"]) + SeedFiles.files("vc", endings: [".pem"])

    /// Trust data without entries, as a list that is empty if they cannot be made.
    private static let trust = [try? TrustStore(TrustMaterial())].compactMap(\.self)

    /// An issuer for which every root is pinned.
    private static let issuer: TrustedIssuer = {
        var issuer = TrustedIssuer(id: "did:web:issuer.example")
        issuer.roots = roots.digests.map { TrustedIssuer.id(ofRootDigest: $0) }
        return issuer
    }()

    private static let roots: CertificateRoots = {
        var roots = CertificateRoots()
        for file in pem { try? roots.add(pem: file) }
        return roots
    }()

    private static func certificates(in pem: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: pem, as: UTF8.self)
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { block in
            let letters = block.components(separatedBy: "-----END").first ?? ""
            return Base64.decodeAny(String(letters.filter { !$0.isWhitespace }))
        }
    }
}

/// The mdocs of the vectors as CBOR.
enum MdocFiles {
    /// Every file of a case that is base64url.
    static let all: [[UInt8]] = Set(
        SeedFiles.files("mdoc", endings: [".b64u"]) + SeedFiles.files("vc/mosip", endings: [".b64u", ".txt"])
    ).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { Base64.decodeURL(String(decoding: $0, as: UTF8.self)) }

    /// The contents of the byte strings in them: security objects, headers, items.
    static let parts: [[UInt8]] = all.flatMap { bytes -> [[UInt8]] in
        (try? CBOR.decode(bytes)).map { inner($0) } ?? []
    }

    private static func inner(_ item: CBOR) -> [[UInt8]] {
        switch item.value {
        case .bytes(let bytes):
            guard let content = try? CBOR.decode(Array(bytes)) else { return [] }
            return [Array(bytes)] + inner(content)
        case .array(let elements): return elements.flatMap { inner($0) }
        case .map(let pairs): return pairs.flatMap { inner($0.value) }
        case .tag(_, let content): return inner(content)
        default: return []
        }
    }
}
