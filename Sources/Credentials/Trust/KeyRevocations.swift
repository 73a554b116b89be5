import Encoding

/// The keys that the operator has withdrawn, indexed for verifications.
struct KeyRevocations: Sendable {
    private let methods: [Text: [RevokedKey]]
    private let keys: [KeyFingerprint: [RevokedKey]]
    /// The methods that no document contains. Their entries cannot withdraw a key that is now used under
    /// another name.
    let unknown: [Text]

    /// Indexes the entries. The entry of a method withdraws its key under every name, provided that its
    /// document is known.
    init(_ revoked: [RevokedKey], documents: [Text: ControllerDocument]) {
        var methods: [Text: [RevokedKey]] = [:]
        var keys: [KeyFingerprint: [RevokedKey]] = [:]
        var unknown: Set<Text> = []
        for entry in revoked {
            switch entry.key {
            case .fingerprint(let fingerprint): keys[fingerprint, default: []].append(entry)
            case .method(let id):
                methods[id, default: []].append(entry)
                let base = KeyResolver.withoutFragment(id)
                let document = SelfContainedDID.document(base) ?? documents[id] ?? documents[base]
                if let key = try? document?.method(id)?.key.get(), let fingerprint = KeyFingerprint(key) {
                    keys[fingerprint, default: []].append(entry)
                } else {
                    unknown.insert(id)
                }
            }
        }
        self.unknown = unknown.sorted()
        self.methods = methods
        self.keys = keys
    }

    /// Returns whether a key may sign an object with the dates of issue `dates`.
    func allow(_ key: PublicKey, method: Text, issuedAt dates: [Timestamp]) -> Bool {
        if methods.isEmpty && keys.isEmpty { return true }
        guard (methods[method] ?? []).allSatisfy({ $0.allows(issuedAt: dates) }) else { return false }
        return keys.isEmpty || allow(KeyFingerprint(key), issuedAt: dates)
    }

    /// Applies the same check as for a single key to a key that certificates vouch for. Neither this key nor
    /// a key that issued one of the certificates, including the pinned certificate, may be withdrawn. For a
    /// key of an authority, the date of issue is the start of the validity of the certificate that it issued.
    func allow(_ signer: CertificateSigner, issuedAt dates: [Timestamp]) -> Bool {
        if keys.isEmpty { return true }
        var issued = dates
        for certificate in signer.path {
            guard certificate.keyFingerprints.allSatisfy({ allow($0, issuedAt: issued) }) else { return false }
            issued = [certificate.notBefore]
        }
        return true
    }

    /// Applies the same check to a key without a verification method; nil is a key that cannot sign.
    private func allow(_ key: KeyFingerprint?, issuedAt dates: [Timestamp]) -> Bool {
        guard let key else { return true }
        return (keys[key] ?? []).allSatisfy { $0.allows(issuedAt: dates) }
    }

    /// Returns the more serious of the reasons for which a key was withdrawn; nil when it never was.
    func reason(of key: PublicKey, method: Text) -> RevokedKey.Reason? {
        let entries = (methods[method] ?? []) + (KeyFingerprint(key).flatMap { keys[$0] } ?? [])
        return entries.contains { $0.reason == .compromised } ? .compromised : entries.first?.reason
    }
}
