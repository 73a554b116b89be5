import Crypto
import CryptoExtras
import Encoding
import Foundation
import Reasons
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// Certificates with **test keys**, made when needed by another library than the one that the product reads them with.
struct TestPKI {
    /// A subject, its key and its certificate.
    struct Member {
        var certificate: Certificate
        let key: Certificate.PrivateKey

        var der: [UInt8] { get throws { try TestPKI.der(certificate) } }
    }

    /// The content of a certificate; every part can be wrong.
    struct Template {
        var name: X509.DistinguishedName
        var key: Certificate.PrivateKey = .init(P256.Signing.PrivateKey())
        var notBefore = "2025-01-01T00:00:00Z"
        var notAfter = "2030-01-01T00:00:00Z"
        var version = Certificate.Version.v3
        var algorithm: Certificate.SignatureAlgorithm?
        var constraints: BasicConstraints? = .notCertificateAuthority
        var usage: KeyUsage? = KeyUsage(digitalSignature: true)
        var purposes: [ASN1ObjectIdentifier] = []
        var names: [GeneralName] = []
        var nameConstraints: X509.NameConstraints?
        var keyIdentifiers = true
        /// A key identifier copied from elsewhere, in place of the issuer's.
        var authorityKeyID: SubjectKeyIdentifier?
        var more: [Certificate.Extension] = []

        /// Returns the template of a signer of tokens.
        static func signer(_ name: String = "Signer") throws -> Template {
            Template(name: try TestPKI.name(name))
        }

        /// Returns the template of a signer of mdocs.
        static func documentSigner(_ name: String = "DS") throws -> Template {
            var template = try signer(name)
            template.purposes = [TestPKI.documentSigner]
            return template
        }

        /// Returns the template of a CA, by default without a limit on the path length.
        static func authority(_ name: String, pathLength: Int? = nil) throws -> Template {
            var template = Template(name: try TestPKI.name(name))
            template.constraints = BasicConstraints.isCertificateAuthority(maxPathLength: pathLength)
            template.usage = KeyUsage(keyCertSign: true, cRLSign: true)
            return template
        }
    }

    static let documentSigner: ASN1ObjectIdentifier = [1, 0, 18013, 5, 1, 2]
    /// The clock of these tests.
    static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z") ?? Timestamp(seconds: 0)

    static func name(_ name: String, country: String = "UT") throws -> X509.DistinguishedName {
        try X509.DistinguishedName {
            CountryName(country)
            OrganizationName("Works")
            CommonName(name)
        }
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    static func root(_ name: String = "Root", _ change: (inout Template) -> Void = { _ in }) throws -> Member {
        var template = try Template.authority(name)
        change(&template)
        return try issue(template, by: nil)
    }

    /// Issues a certificate from `template`, signed by `issuer` or, if that is nil, by itself.
    static func issue(_ template: Template, by issuer: Member?) throws -> Member {
        let issuerKey = issuer?.key ?? template.key
        var extensions: [Certificate.Extension] = []
        if let constraints = template.constraints {
            extensions.append(try Certificate.Extension(constraints, critical: true))
        }
        if let usage = template.usage { extensions.append(try Certificate.Extension(usage, critical: true)) }
        if !template.purposes.isEmpty {
            let usage = try ExtendedKeyUsage(template.purposes.map { ExtendedKeyUsage.Usage(oid: $0) })
            extensions.append(try Certificate.Extension(usage, critical: true))
        }
        if !template.names.isEmpty {
            extensions.append(try Certificate.Extension(SubjectAlternativeNames(template.names), critical: false))
        }
        if let constraints = template.nameConstraints {
            extensions.append(try Certificate.Extension(constraints, critical: true))
        }
        if template.keyIdentifiers {
            let own = SubjectKeyIdentifier(hash: template.key.publicKey)
            let other = template.authorityKeyID ?? SubjectKeyIdentifier(hash: issuerKey.publicKey)
            extensions.append(try Certificate.Extension(own, critical: false))
            let identifier = AuthorityKeyIdentifier(keyIdentifier: other.keyIdentifier)
            extensions.append(try Certificate.Extension(identifier, critical: false))
        }
        extensions += template.more
        let certificate = try certificate(
            template, issuerName: issuer?.certificate.subject ?? template.name, issuerKey,
            Certificate.Extensions(extensions))
        return Member(certificate: certificate, key: template.key)
    }

    private static func certificate(
        _ template: Template, issuerName: X509.DistinguishedName, _ issuerKey: Certificate.PrivateKey,
        _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        guard let algorithm = template.algorithm else {
            return try Certificate(
                version: template.version, serialNumber: Certificate.SerialNumber(), publicKey: template.key.publicKey,
                notValidBefore: date(template.notBefore), notValidAfter: date(template.notAfter), issuer: issuerName,
                subject: template.name, extensions: extensions, issuerPrivateKey: issuerKey)
        }
        return try Certificate(
            version: template.version, serialNumber: Certificate.SerialNumber(), publicKey: template.key.publicKey,
            notValidBefore: date(template.notBefore), notValidAfter: date(template.notAfter), issuer: issuerName,
            subject: template.name, signatureAlgorithm: algorithm, extensions: extensions, issuerPrivateKey: issuerKey)
    }

    static func roots(_ members: Member...) throws -> CertificateRoots {
        var roots = CertificateRoots()
        for member in members { try roots.add(pem: pem(try member.der)) }
        return roots
    }

    static func pem(_ der: [UInt8]) -> [UInt8] {
        let text = Base64.encode(der, .standard)
        let lines = stride(from: 0, to: text.count, by: 64).map { text.dropFirst($0).prefix(64) }
        return Array(
            ("-----BEGIN CERTIFICATE-----\n" + lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n").utf8)
    }

    /// Returns the same certificate with the other form of its signature by a P-256 key: for each signature
    /// (r, s), (r, n - s) is one too (SEC 1 section 4.1.4).
    static func respelt(_ der: [UInt8]) throws -> [UInt8] {
        let start = try #require(
            der.indices.last { der[$0] == 3 && $0 + 2 < der.count && $0 + 2 + Int(der[$0 + 1]) == der.count })
        let old = try P256.Signing.ECDSASignature(derRepresentation: der[(start + 3)...])
        let order = try #require(Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var (rest, borrow): ([UInt8], Int) = ([], 0)
        for (high, low) in zip(order, old.rawRepresentation.dropFirst(32)).reversed() {
            let digit = Int(high) - Int(low) - borrow
            borrow = digit < 0 ? 1 : 0
            rest.insert(UInt8(digit + borrow * 256), at: 0)
        }
        let raw = old.rawRepresentation.prefix(32) + rest
        let new = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
        let content = der[4..<start] + [3, UInt8(new.count + 1), 0] + new
        return [0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static func date(_ text: String) -> Date {
        Date(timeIntervalSince1970: Double(Timestamp(rfc3339: text)?.seconds ?? 0))
    }

    /// The purpose for which a chain is verified.
    enum Role {
        case tokenSigner
        case statusListSigner
        case documentSigner
    }

    /// Returns an issuer for which all these roots are pinned.
    static func issuer(_ roots: CertificateRoots, id: Text = "did:web:issuer.example") -> TrustedIssuer {
        var issuer = TrustedIssuer(id: id)
        issuer.roots = roots.digests.map { TrustedIssuer.id(ofRootDigest: $0) }
        return issuer
    }

    /// Returns the finding with which a chain is refused, or nil if it is accepted. `entry` is the issuer's
    /// or the root's; by default it is that of an issuer for which all these roots are pinned.
    static func refusal(
        _ chain: [[UInt8]], _ roots: CertificateRoots, role: Role = .tokenSigner, entry: TrustedIssuer? = nil,
        at clock: Timestamp = now, profile: Profile = .strict
    ) -> Reason? {
        guard let trust = try? TrustStore(TrustMaterial(issuers: [entry].compactMap(\.self))) else {
            return Reason(.internal)
        }
        let role: SignerRole =
            switch role {
            case .tokenSigner: .token(of: entry ?? issuer(roots))
            case .statusListSigner: .statusList(of: entry ?? issuer(roots))
            case .documentSigner: .document(trust, docType: nil)
            }
        do throws(Rejection) {
            _ = try CertificatePath.signer(
                of: chain, role: role, roots: roots, at: clock, profile: profile, limits: Limits())
            return nil
        } catch { return error.reason }
    }

    /// Returns `ok`, or the code with which a chain is refused.
    static func outcome(
        _ chain: [[UInt8]], _ roots: CertificateRoots, role: Role = .tokenSigner, entry: TrustedIssuer? = nil,
        at clock: Timestamp = now, profile: Profile = .strict
    ) -> String {
        refusal(chain, roots, role: role, entry: entry, at: clock, profile: profile)?.code.text ?? "ok"
    }
}
