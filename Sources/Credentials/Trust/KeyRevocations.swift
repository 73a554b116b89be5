import Encoding

/// The keys that the operator has withdrawn, ready to be asked about in a verification.
struct KeyRevocations: Sendable {
    private let methods: [Text: [RevokedKey]]
    private let keys: [KeyFingerprint: [RevokedKey]]
    /// The methods that no document has: a key that goes by another name now is not withdrawn by them.
    let unknown: [Text]

    /// The entry of a method withdraws its key under every name, as far as its document is known.
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

    /// Whether a key may stand behind something that was issued at these dates.
    func allow(_ key: PublicKey, method: Text, issuedAt dates: [Timestamp]) -> Bool {
        if methods.isEmpty && keys.isEmpty { return true }
        guard (methods[method] ?? []).allSatisfy({ $0.allows(issuedAt: dates) }) else { return false }
        return keys.isEmpty || allow(KeyFingerprint(key), issuedAt: dates)
    }

    /// The same for a key that certificates vouch for: neither it nor a key that issued one of them, the pinned one's included,
    /// may be withdrawn. What an authority issued is a certificate, and counts from the start of that one's validity.
    func allow(_ signer: CertificateSigner, issuedAt dates: [Timestamp]) -> Bool {
        if keys.isEmpty { return true }
        var issued = dates
        for certificate in signer.path {
            guard certificate.keyFingerprints.allSatisfy({ allow($0, issuedAt: issued) }) else { return false }
            issued = [certificate.notBefore]
        }
        return true
    }

    /// The same for a key that no document names; nil is a key that cannot sign.
    private func allow(_ key: KeyFingerprint?, issuedAt dates: [Timestamp]) -> Bool {
        guard let key else { return true }
        return (keys[key] ?? []).allSatisfy { $0.allows(issuedAt: dates) }
    }

    /// The graver of the reasons for which nobody may use a key; nil when it was never withdrawn.
    func reason(of key: PublicKey, method: Text) -> RevokedKey.Reason? {
        let entries = (methods[method] ?? []) + (KeyFingerprint(key).flatMap { keys[$0] } ?? [])
        return entries.contains { $0.reason == .compromised } ? .compromised : entries.first?.reason
    }
}
