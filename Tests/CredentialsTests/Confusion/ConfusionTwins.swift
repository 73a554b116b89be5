import Encoding

@testable import Credentials

/// Valid credentials made by the tests, and twins that are expired, not yet valid, revoked, denied, already seen or of
/// an untrusted issuer. The correct verdict on the plain twin is known.
struct ConfusionTwin {
    let plain: PlainCase
    let code: String
}

/// The difference between a twin and the valid credential.
struct TwinState {
    let name: String
    /// The code of the verdict on the plain twin.
    let code: String
    /// The rules of the gate. `ROOT` is a placeholder for the beginning of pointers to claims.
    var rules: String?
    /// Whether a rule denies the credential by the hash of its signed content, or it was seen a moment ago.
    var isDeniedByHash = false
    var isSeen = false

    private static let accept = "[[accept]]\nid = \"r\"\n"

    /// Returns the states that depend only on the gate's rules. All of them use the same credential.
    static func ruled(subject: Text, type: Text) -> [TwinState] {
        [
            TwinState(name: "good", code: "ok"),
            TwinState(name: "good, by rule", code: "ok", rules: accept),
            TwinState(
                name: "good, by its level", code: "ok",
                rules: "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"ROOTlevel\", equals = 3 } ]\n"),
            TwinState(
                name: "denied subject", code: "policy.d",
                rules: "[[deny]]\nid = \"d\"\nsubjects = [ \"\(subject)\" ]\n" + accept),
            TwinState(
                name: "denied level", code: "policy.d",
                rules: "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"ROOTlevel\", equals = 3 } ]\n" + accept),
            TwinState(
                name: "denied type", code: "policy.d", rules: "[[deny]]\nid = \"d\"\ntypes = [ \"\(type)\" ]\n" + accept
            ),
            TwinState(name: "denied by hash", code: "policy.d", rules: accept, isDeniedByHash: true),
            TwinState(
                name: "level too low", code: "policy.r",
                rules: "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"ROOTlevel\", at-least = 4 } ]\n"),
            TwinState(
                name: "level that must be absent", code: "policy.r",
                rules: "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"ROOTlevel\", exists = false } ]\n"),
            TwinState(
                name: "of no type that a rule names", code: "policy.no-match",
                rules: "[[accept]]\nid = \"r\"\ntypes = [ \"https://other.example/ns#Other\" ]\n"),
            TwinState(name: "seen", code: "replay.seen", isSeen: true),
        ]
    }
}

/// Makes twins of one kind for one gate.
struct TwinMaker {
    let kind: String
    let material: TrustMaterial
    let clock: WallTime
    /// The beginning of pointers to claims.
    let root: String
    var label: CredentialFormat?
    var profile = Profile.strict
    let kit: DisguiseKit

    init(
        _ kind: String, _ material: TrustMaterial, clock: WallTime, root: String, label: CredentialFormat? = nil,
        other: JSON? = nil
    ) throws {
        (self.kind, self.clock, self.root, self.label) = (kind, clock, root, label)
        self.material = material.withStrangers
        kit = try DisguiseKit(
            try self.material.contexts.mapValues { try JSON.parse($0) }, at: clock, other: other)
    }

    /// Returns the twin with that state and payload.
    func twin(_ payload: [UInt8], _ state: TwinState) throws -> ConfusionTwin {
        var policy = try Self.policy(state.rules?.replacing("ROOT", with: root), profile)
        let trust = try TrustStore(material)
        let showing = Showing(payload, label: label)
        var recent: Set<[UInt8]> = []
        if state.isDeniedByHash || state.isSeen {
            let before = Verifier(trust: trust, policy: policy).verify(payload, claimed: label, at: clock)
            if state.isSeen { recent = Set(before.replayKeys) }
            if state.isDeniedByHash {
                let digest = Hex.encode(before.credential.signedDigest ?? [])
                policy = try Self.policy(
                    "[[deny]]\nid = \"d\"\ncredentials = [ \"sha256:\(digest)\" ]\n" + (state.rules ?? ""), profile)
            }
        }
        let plain = PlainCase(
            "\(kind) \(state.name)", showing, Verifier(trust: trust, policy: policy), kit, recent: recent, clock: clock)
        return ConfusionTwin(plain: plain, code: state.code)
    }

    /// Returns the policy with these rules, or one without rules for nil.
    static func policy(_ rules: String?, _ profile: Profile = .strict) throws -> VerificationPolicy {
        guard let rules else { return VerificationPolicy(profile: profile) }
        let text = "id = \"p\"\nversion = \"1\"\n" + rules
        var policy = VerificationPolicy(try GatePolicy.parse(Array(text.utf8), zones: { _ in nil }))
        policy.statedProfile = profile
        return policy
    }
}

extension TrustMaterial {
    /// The same trust data with contexts for other credentials: those of the data model and its suites, and one that
    /// gives decisive names another meaning.
    var withStrangers: TrustMaterial {
        var material = self
        let urls: [Text] = [
            "https://www.w3.org/ns/credentials/v2", "https://www.w3.org/2018/credentials/v1",
            "https://w3id.org/security/suites/ed25519-2020/v1", "https://w3id.org/security/data-integrity/v2",
        ]
        for url in urls where material.contexts[url] == nil {
            material.contexts[url] = BuiltInContexts.document(url)?.bytes
        }
        let names: JSON = [
            "@context": [
                "level": "https://strangers.example/ns#level", "employeeNumber": "https://strangers.example/ns#number",
                "validUntil": "https://strangers.example/ns#end", "expirationDate": "https://strangers.example/ns#end",
                "credentialStatus": "https://strangers.example/ns#status",
                "StaffPass": "https://strangers.example/ns#Pass",
            ]
        ]
        material.contexts["https://strangers.example/ns/v1"] = names.compactBytes
        return material
    }
}
