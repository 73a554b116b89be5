import Encoding

/// The keys that the operator has withdrawn, indexed for verifications.
struct KeyRevocations: Sendable {
    private let methods: [Text: [RevokedKey]]
    private let keys: [KeyFingerprint: [RevokedKey]]
    /// The withdrawn methods that no document contains. The keys of these methods are unknown, so these keys are not
    /// refused under other names.
    let unknown: [Text]

    /// Indexes the entries. The entry of a method withdraws the method's key under every name if the document of the
    /// method is known.
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

    /// Returns whether no key of a certificate path is withdrawn: neither the signer's key nor a key that issued a
    /// certificate of the path, including the key of the pinned certificate. For an authority's key, the date of issue
    /// is the start of the validity of the certificate that the authority issued.
    func allow(_ signer: CertificateSigner, issuedAt dates: [Timestamp]) -> Bool {
        if keys.isEmpty { return true }
        var issued = dates
        for certificate in signer.path {
            guard certificate.keyFingerprints.allSatisfy({ allow($0, issuedAt: issued) }) else { return false }
            issued = [certificate.notBefore]
        }
        return true
    }

    /// Returns whether the key with the fingerprint `key` may sign. A key without a fingerprint (nil) can make no valid
    /// signature, so it need not be refused here: the result is true.
    private func allow(_ key: KeyFingerprint?, issuedAt dates: [Timestamp]) -> Bool {
        guard let key else { return true }
        return (keys[key] ?? []).allSatisfy { $0.allows(issuedAt: dates) }
    }

    /// Returns the most serious reason for the withdrawal of a key; nil if the key was not withdrawn.
    func reason(of key: PublicKey, method: Text) -> RevokedKey.Reason? {
        let entries = (methods[method] ?? []) + (KeyFingerprint(key).flatMap { keys[$0] } ?? [])
        return entries.contains { $0.reason == .compromised } ? .compromised : entries.first?.reason
    }
}
