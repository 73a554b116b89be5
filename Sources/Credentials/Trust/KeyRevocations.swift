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

    /// Returns whether a key may sign an object that was issued at these dates.
    func allow(_ key: PublicKey, method: Text, issuedAt dates: [Timestamp]) -> Bool {
        if methods.isEmpty && keys.isEmpty { return true }
        guard (methods[method] ?? []).allSatisfy({ $0.allows(issuedAt: dates) }) else { return false }
        return keys.isEmpty || allow(KeyFingerprint(key), issuedAt: dates)
    }

    /// Applies the same check to a key that certificates vouch for: neither it nor a key that issued one of
    /// the certificates, including the pinned one's, may be withdrawn. An authority issued a certificate, so
    /// the date of that issue is the start of the certificate's validity.
    func allow(_ signer: CertificateSigner, issuedAt dates: [Timestamp]) -> Bool {
        if keys.isEmpty { return true }
        var issued = dates
        for certificate in signer.path {
            guard certificate.keyFingerprints.allSatisfy({ allow($0, issuedAt: issued) }) else { return false }
            issued = [certificate.notBefore]
        }
        return true
    }

    /// Applies the same check to a key without a method; nil is a key that cannot sign.
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
