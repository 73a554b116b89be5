import Encoding
import SwiftASN1

/// Path validation for the certificates that a signer brings: a subset of RFC 5280 section 6 with pinned roots, no
/// policies and no revocation lists. Synchronous and bounded: at most ``Limits/certificates`` certificates in the given order,
/// leaf first, and for each of them the pinned roots of its issuer's name.
enum CertificatePath {
    /// The signer of a chain (DER, leaf first) that a pinned certificate vouches for.
    ///
    /// Each certificate is issued by the next one, until one is pinned itself or issued by a pinned one; what follows that
    /// is not looked at. A leaf that is pinned needs no issuer and no profile, only a key that may sign. Whether a key of the path
    /// was withdrawn is for the caller to ask, who knows what was signed when.
    ///
    /// - Throws: `key.unknown` for an empty chain; `input.too-large`; `chain.untrusted` when no pinned certificate vouches, or
    ///   only one that was not pinned for this; `chain.invalid` for a damaged certificate or signature, an issuer that is no
    ///   CA, a constraint that is not kept, a key usage or a critical extension that forbids the use; `chain.expired`;
    ///   `key.weak`, `key.malformed`. ``ReasonDetail`` says which rule it was.
    static func signer(
        of chain: [[UInt8]], role: some SignerRules, roots: CertificateRoots, at now: Timestamp,
        skew: Duration = .seconds(60), profile: Profile, limits: Limits
    ) throws(Rejection) -> CertificateSigner {
        let certificates = try read(chain, limits)
        // No cryptography for strangers: some name must lead to a pinned certificate at all.
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
                damage = nil  // another authority of the root's name
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

    /// The pinned certificates that may vouch for one, in the order in which they are tried: itself, then those that may have
    /// issued it; those that fit the role better come first.
    private static func anchors(
        of certificate: X509Certificate, _ roots: CertificateRoots, _ role: some SignerRules
    ) -> [X509Certificate] {
        // A renewed root has the name and key of the old one: the choice must not depend on the order of files.
        let issuers = roots.named(certificate.issuer)
            .filter { $0.content != certificate.content && certificate.canBeIssued(by: $0) }
            .sorted { role.precedes($0, $1) }
        guard let own = roots.pinned(certificate) else { return issuers }
        let better = issuers.prefix { role.fits($0) > role.fits(own) }
        return better + [own] + issuers.dropFirst(better.count)
    }

    /// The signer that a chain's first certificate names, without asking who vouches for it: for data that a laboratory
    /// looks at, never for a gate.
    static func leaf(of chain: [[UInt8]], limits: Limits) throws(Rejection) -> CertificateSigner {
        let leaf = try read(chain, limits)[0]
        return CertificateSigner(leaf, key: try signingKey(leaf), root: nil)
    }

    /// At least one certificate.
    private static func read(_ chain: [[UInt8]], _ limits: Limits) throws(Rejection) -> [X509Certificate] {
        guard !chain.isEmpty else { throw Rejection(.keyUnknown) }
        guard chain.count <= limits.certificates, chain.allSatisfy({ $0.count <= limits.certificateBytes }) else {
            throw Rejection(.inputTooLarge)
        }
        let certificates = chain.compactMap { X509Certificate($0) }
        guard certificates.count == chain.count else { throw Rejection(.chainInvalid, .encoding) }
        return certificates
    }

    /// The next certificate must have issued the one before: the order is part of both formats (RFC 7515 section 4.1.6,
    /// RFC 9360 section 2).
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

/// What must hold of a path whose names and signatures already fit.
private struct Requirements {
    let role: any SignerRules
    let now: Timestamp
    let skew: Duration
    let profile: Profile

    /// The signer at the start of the path; its last element is pinned.
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

    /// RFC 5280 section 6.1.4 (b), (k) to (n): basicConstraints, path length, keyUsage, name constraints.
    private func checkAuthority(
        _ authority: X509Certificate, below path: ArraySlice<X509Certificate>, _ authoritiesBelow: Int
    ) throws(Rejection) {
        let extensions = authority.extensions
        guard extensions.isCA, extensions.keyUsage?.keyCertSign ?? true else {
            throw Rejection(.chainInvalid, .authority)
        }
        // The extendedKeyUsage of an authority limits what it may issue: one for connections alone issues no signer.
        guard extensions.purposes.map({ !$0.allSatisfy(\.isForConnections) }) ?? true else {
            throw Rejection(.chainInvalid, .extendedKeyUsage)
        }
        if let most = extensions.pathLength, authoritiesBelow > most { throw Rejection(.chainInvalid, .pathLength) }
        // A self-issued intermediate is the authority itself with another key: constraints on names are not for it.
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
    /// The order in which roots are tried that may all have issued a certificate.
    fileprivate func precedes(_ left: X509Certificate, _ right: X509Certificate) -> Bool {
        let fits = (fits(left), fits(right))
        return fits.0 == fits.1 ? left.digest.lexicographicallyPrecedes(right.digest) : fits.0 > fits.1
    }

    fileprivate func fits(_ root: X509Certificate) -> Int { fits(CertificateRoots.id(ofDigest: root.digest)) }
}

extension X509Certificate {
    /// Whether the key identifiers, where both certificates have them, allow that `issuer` signed this one.
    fileprivate func canBeIssued(by issuer: X509Certificate) -> Bool {
        guard let named = extensions.authorityKeyID, let key = issuer.extensions.subjectKeyID else { return true }
        return named == key
    }

    /// Whether it names the root's very key. If the root's signature is not on it then it is damaged or forged; one that
    /// names no key, or is signed by its own, merely comes from another authority of that name.
    fileprivate func claims(_ root: X509Certificate) -> Bool {
        guard let named = extensions.authorityKeyID, named == root.extensions.subjectKeyID else { return false }
        return !((try? isSigned(by: self)) ?? false)
    }
}
