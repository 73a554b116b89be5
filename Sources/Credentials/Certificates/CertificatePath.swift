import Encoding
import Reasons
import SwiftASN1

/// Path validation for the certificates that a signer supplies: a subset of RFC 5280 section 6 with pinned roots,
/// without policies and without revocation lists. The work is bounded: the validation reads at most
/// ``Limits/certificates`` certificates in the given order, leaf first. For each certificate it reads the pinned roots
/// whose subject is the certificate's issuer.
enum CertificatePath {
    /// Returns the signer of a chain (DER, leaf first) for which a pinned certificate vouches.
    ///
    /// Each certificate must be issued by its successor, until a certificate is pinned or is issued by a pinned
    /// certificate. The rest of the chain is ignored. A pinned leaf needs no issuer, but
    /// ``SignerRules/checkUse(of:isPinned:below:_:)`` checks it like any other leaf. The caller checks whether a key of
    /// the path was withdrawn, because only the caller knows the time of the signature.
    ///
    /// - Throws: `key.unknown` for an empty chain; `input.too-large`; `chain.untrusted` if no pinned certificate
    ///   vouches for the chain, or only one that was pinned for another purpose; `chain.invalid` for a damaged
    ///   certificate or signature, an issuer that is no CA, a violated constraint, or a key usage or critical extension
    ///   that forbids the use; `chain.expired`; `key.weak`, `key.malformed`. ``ReasonDetail`` names the violated rule.
    static func signer(
        of chain: [[UInt8]], role: some SignerRules, roots: CertificateRoots, at now: Timestamp,
        skew: Duration = .seconds(60), profile: Profile, limits: Limits
    ) throws(Rejection) -> CertificateSigner {
        let certificates = try read(chain, limits)
        // Avoid cryptography for an unknown signer: at least one certificate must be pinned or name a pinned issuer.
        guard certificates.contains(where: { roots.pinned($0) != nil || !roots.named($0.issuer).isEmpty }) else {
            throw Rejection(.chainUntrusted, .notPinned)
        }
        let requirements = Requirements(role: role, now: now, skew: skew, profile: profile)
        var (refusal, damage): (Rejection?, Rejection?)
        for (index, certificate) in certificates.enumerated() {
            if index > 0 {
                do throws(Rejection) { try checkLink(certificates[index - 1], to: certificate) } catch {
                    throw refusal ?? damage ?? error
                }
                damage = nil  // the next certificate signed it: the issuer only shares the root's name
            }
            let path = Array(certificates[...index])
            for anchor in anchors(of: certificate, roots, role) {
                do throws(Rejection) {
                    if anchor.content == certificate.content {
                        return try requirements.signer(of: path.dropLast() + [anchor])
                    }
                    if try certificate.isSigned(by: anchor) { return try requirements.signer(of: path + [anchor]) }
                    if certificate.claims(anchor) { damage = Rejection(.chainInvalid, .signature) }
                } catch { refusal = refusal ?? error }
            }
        }
        throw refusal ?? damage ?? Rejection(.chainUntrusted, .notPinned)
    }

    /// Returns the pinned certificates that may vouch for `certificate`, in the order of trial: the certificate itself
    /// and the certificates that may have issued it. Issuers that fit the role better than the certificate itself
    /// precede the certificate.
    private static func anchors(
        of certificate: X509Certificate, _ roots: CertificateRoots, _ role: some SignerRules
    ) -> [X509Certificate] {
        // A renewed root may have the same name and key as the old root. The choice between both roots must not depend
        // on the order of their files.
        let issuers = roots.named(certificate.issuer)
            .filter { $0.content != certificate.content && certificate.canBeIssued(by: $0) }
            .sorted { role.precedes($0, $1) }
        guard let own = roots.pinned(certificate) else { return issuers }
        let better = issuers.prefix { role.fits($0) > role.fits(own) }
        return better + [own] + issuers.dropFirst(better.count)
    }

    /// Returns the signer that the first certificate of a chain names, without checking trust. For laboratory data
    /// only, never for a gate.
    static func leaf(of chain: [[UInt8]], limits: Limits) throws(Rejection) -> CertificateSigner {
        let leaf = try read(chain, limits)[0]
        return CertificateSigner(leaf, key: try signingKey(leaf), root: nil)
    }

    /// Parses a chain of at least one certificate.
    private static func read(_ chain: [[UInt8]], _ limits: Limits) throws(Rejection) -> [X509Certificate] {
        guard !chain.isEmpty else { throw Rejection(.keyUnknown) }
        guard chain.count <= limits.certificates, chain.allSatisfy({ $0.count <= limits.certificateBytes }) else {
            throw Rejection(.inputTooLarge)
        }
        let certificates = chain.compactMap { X509Certificate($0) }
        guard certificates.count == chain.count else { throw Rejection(.chainInvalid, .encoding) }
        return certificates
    }

    /// Checks that `issuer` issued `certificate`, the certificate before it in the chain. Both sources of a chain, the
    /// JOSE header x5c and the COSE header x5chain, prescribe this order (RFC 7515 section 4.1.6, RFC 9360 section 2).
    private static func checkLink(_ certificate: X509Certificate, to issuer: X509Certificate) throws(Rejection) {
        guard certificate.issuer == issuer.subject else { throw Rejection(.chainInvalid, .name) }
        guard try certificate.isSigned(by: issuer) else { throw Rejection(.chainInvalid, .signature) }
    }

    fileprivate static func signingKey(_ leaf: X509Certificate) throws(Rejection) -> PublicKey {
        switch leaf.key {
        case .usable(let key): return key
        case .p521: throw Rejection(.keyMalformed)
        case .refused(let failure): throw Rejection(failure.code)
        }
    }
}

/// The requirements on a path whose names and signatures have already been checked.
private struct Requirements {
    let role: any SignerRules
    let now: Timestamp
    let skew: Duration
    let profile: Profile

    /// Returns the signer at the start of the path. The last certificate of the path is pinned.
    func signer(of path: [X509Certificate]) throws(Rejection) -> CertificateSigner {
        guard let leaf = path.first, let anchor = path.last else { throw Rejection(.internal) }
        let root = CertificateRoots.id(ofDigest: anchor.digest)
        try role.checkRoot(root)
        var authoritiesBelow = 0
        for (index, certificate) in path.enumerated() {
            guard !certificate.extensions.hasUnknownCritical else {
                throw Rejection(.chainInvalid, .criticalExtension)
            }
            if index == 0 { continue }
            try checkAuthority(certificate, below: path[..<index], authoritiesBelow)
            if !certificate.isSelfIssued { authoritiesBelow += 1 }
        }
        try role.checkUse(of: leaf, isPinned: path.count == 1, below: root, profile)
        guard path.allSatisfy(isCurrent) else { throw Rejection(.chainExpired, .dates) }
        return CertificateSigner(
            leaf, key: try CertificatePath.signingKey(leaf), root: root, authorities: path.dropFirst())
    }

    /// Checks an authority by RFC 5280 section 6.1.4 (b), (k) to (n): basicConstraints, path length,
    /// keyUsage, name constraints.
    private func checkAuthority(
        _ authority: X509Certificate, below path: ArraySlice<X509Certificate>, _ authoritiesBelow: Int
    ) throws(Rejection) {
        let extensions = authority.extensions
        guard extensions.isCA, extensions.keyUsage?.keyCertSign ?? true else {
            throw Rejection(.chainInvalid, .authority)
        }
        // The extendedKeyUsage of an authority limits the certificates that it may issue. An authority for TLS
        // connections cannot issue a signer's certificate.
        guard extensions.purposes.map({ !$0.allSatisfy(\.isForConnections) }) ?? true else {
            throw Rejection(.chainInvalid, .extendedKeyUsage)
        }
        if let most = extensions.pathLength, authoritiesBelow > most { throw Rejection(.chainInvalid, .pathLength) }
        // A self-issued intermediate certificate certifies another key of the same authority, so name constraints do
        // not apply to it.
        let named = path.enumerated().filter { $0.offset == 0 || !$0.element.isSelfIssued }.map(\.element)
        if let constraints = extensions.nameConstraints, !named.allSatisfy(constraints.allow) {
            throw Rejection(.chainInvalid, .nameConstraint)
        }
    }

    private func isCurrent(_ certificate: X509Certificate) -> Bool {
        certificate.notBefore <= now.advanced(by: skew) && now <= certificate.notAfter.advanced(by: skew)
    }
}

extension SignerRules {
    /// Returns whether `left` is tried before `right` if both roots may have issued a certificate.
    fileprivate func precedes(_ left: X509Certificate, _ right: X509Certificate) -> Bool {
        let fits = (fits(left), fits(right))
        return fits.0 == fits.1 ? left.digest.lexicographicallyPrecedes(right.digest) : fits.0 > fits.1
    }

    fileprivate func fits(_ root: X509Certificate) -> Int { fits(CertificateRoots.id(ofDigest: root.digest)) }
}

extension X509Certificate {
    /// Returns whether the key identifiers allow that `issuer` signed this certificate. A missing key identifier allows
    /// any issuer.
    fileprivate func canBeIssued(by issuer: X509Certificate) -> Bool {
        guard let named = extensions.authorityKeyID, let key = issuer.extensions.subjectKeyID else { return true }
        return named == key
    }

    /// Returns whether the authority key identifier names this root's key and the certificate is not self-signed. If
    /// the root did not sign such a certificate, the certificate is damaged or forged. If the identifier differs or is
    /// absent, the certificate may come from another authority with the root's name.
    fileprivate func claims(_ root: X509Certificate) -> Bool {
        guard let named = extensions.authorityKeyID, named == root.extensions.subjectKeyID else { return false }
        return !((try? isSigned(by: self)) ?? false)
    }
}
