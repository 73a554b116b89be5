import Encoding
import Reasons
import Testing

@testable import Credentials

/// The conditions for admission: the issuer's entry names the types, or a rule states which types or claims it admits.
@Suite struct AdmissionTests {
    private static let type: Text = "https://www.w3.org/2018/credentials#VerifiableCredential"

    private func verdict(
        _ mode: UntypedIssuers, types: [Text]? = nil, rules: String? = nil
    ) throws -> Verdict {
        let issuer = try TestIssuer(seed: 7)
        var material = issuer.material
        material.untypedIssuers = mode
        material.issuers[0].types = types
        var policy = VerificationPolicy()
        policy.rules = try rules.map { text in
            try GatePolicy.parse(Array(text.replacing("ISSUER", with: issuer.id.string).utf8), zones: { _ in nil })
        }
        return try Verifier(trust: TrustStore(material), policy: policy)
            .verify(issuer.sign(issuer.template).compactBytes, at: TestIssuer.clock)
    }

    private static let head = "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"a\"\n"
    /// Rules that accept the credential, and whether they state which types or claims they admit.
    private static let rules: [(text: String?, says: Bool)] = [
        (nil, false), (head, false), (head + "formats = [\"ldp_vc\"]\n", false),
        (head + "issuers = [\"ISSUER\"]\n", false), (head + "types = [\"\(type)\"]\n", true),
        (head + "require = [{ claim = \"/credentialSubject/id\", equals = \"did:example:holder\" }]\n", true),
        // A rule that only limits a time does not state what it admits.
        (head + "require = [{ issued-within = \"3650d\" }]\n", false),
        (head + "require = [{ not = { issued-within = \"1s\" } }]\n", false),
        (
            head + "require = [{ not = { all = [{ claim = \"/credentialSubject/id\", equals = \"did:example:x\" }, "
                + "{ issued-within = \"1s\" }] } }]\n", false
        ),
        (
            head + "require = [{ not = { any = [{ claim = \"/credentialSubject/id\", equals = \"did:example:x\" }, "
                + "{ issued-within = \"1s\" }] } }]\n", true
        ),
        (
            head + "require = [{ any = [{ claim = \"/credentialSubject/id\", exists = true }, "
                + "{ issued-within = \"3650d\" }] }]\n", false
        ),
        (
            head + "require = [{ all = [{ claim = \"/credentialSubject/id\", exists = true }, "
                + "{ issued-within = \"3650d\" }] }]\n", true
        ),
    ]

    @Test("credentials of an issuer without types are admitted only by rules that state what they admit")
    func everyCombination() throws {
        for (text, says) in Self.rules {
            for mode in [UntypedIssuers.admit, .warn, .refuse] {
                for types in [nil, [Self.type]] as [[Text]?] {
                    let what: Comment = "\(text ?? "no rules"), \(mode), \(types == nil ? "untyped" : "typed")"
                    let verdict = try verdict(mode, types: types, rules: text)
                    let isTold = mode != .admit && types == nil && !says
                    #expect(verdict.isAccepted == !(isTold && mode == .refuse), what)
                    let found = verdict.reasons.filter { $0.code == .issuerUntyped }
                    #expect(found.count == (isTold ? 1 : 0), what)
                    #expect(found.allSatisfy { $0.severity == (mode == .warn ? .warning : .error) }, what)
                    #expect(verdict.reasons.first?.code == (verdict.isAccepted ? .ok : .issuerUntyped), what)
                }
            }
        }
    }

    @Test("a refusal contains the line to add, with the types of the credential")
    func theLine() throws {
        let issuer = try TestIssuer(seed: 7)
        let remedy = try verdict(.refuse).reasons.first?.detail?.remedy
        #expect(
            remedy == "Write into the [[issuer]] with id = \"\(issuer.id)\" in issuers.toml: types = [\"\(Self.type)\"]"
        )
    }

    @Test("an mdoc is admitted by the docTypes of its root's entry; a root without entry is an issuer without types")
    func mdocs() throws {
        let issuer = try TestMdoc.Issuer()
        func verdict(_ mode: UntypedIssuers, entry types: [Text]??) throws -> Verdict {
            var material = try issuer.material
            material.untypedIssuers = mode
            if let types {
                var entry = TrustedIssuer(id: try issuer.rootID)
                entry.types = types
                material.issuers = [entry]
            }
            return try TestMdoc(issuer).verify(material)
        }
        for entry in [nil, .some(nil)] as [[Text]??] {
            #expect(try verdict(.refuse, entry: entry).code == .issuerUntyped)
            let warned = try verdict(.warn, entry: entry)
            #expect(warned.isAccepted && warned.reasons.map(\.code) == [.ok, .issuerUntyped])
            let line = warned.reasons.last?.detail?.remedy
            #expect(line?.hasSuffix("types = [\"org.iso.18013.5.1.mDL\"]") ?? false)
        }
        #expect(try verdict(.refuse, entry: ["org.iso.18013.5.1.mDL"]).code == .ok)
        #expect(try verdict(.refuse, entry: ["org.example.else"]).code == .issuerNotForType)
    }

    @Test("without rules, the entry of its own issuer admits each credential of a presentation")
    func nothingElseIsAdmittedAlong() throws {
        let (issuer, other) = (try TestIssuer(seed: 7), try TestIssuer(seed: 8))
        var material = issuer.material
        material.untypedIssuers = .refuse
        material.issuers[0].types = [Self.type]
        material.issuers.append(TrustedIssuer(id: other.id))
        var theirs = other.template
        theirs["issuer"] = .string(other.id)
        let holder = try TestIssuer(seed: 9)
        let shown = try holder.sign(
            [
                "@context": issuer.template["@context"] ?? .null, "type": "VerifiablePresentation",
                "holder": .string(holder.id),
                "verifiableCredential": [try issuer.sign(issuer.template), try other.sign(theirs)],
            ], purpose: .authentication)
        let verdict = try Verifier(trust: TrustStore(material)).verify(shown.compactBytes, at: TestIssuer.clock)
        #expect(verdict.code == .issuerUntyped)
        #expect(verdict.reasons.first?.pointer == "/verifiableCredential/1")
        material.issuers[1].types = [Self.type]
        #expect(
            try Verifier(trust: TrustStore(material)).verify(shown.compactBytes, at: TestIssuer.clock).isAccepted)
    }
}
