import Encoding
import Reasons
import Testing

@testable import Credentials

/// Rules about presentations and clocks. Each test is the smallest case that only one rule decides.
@Suite struct UnheldRuleTests {
    private let forge: TokenForge
    private let holderForge: TokenForge
    private let issuer: GraphSigner
    private let holder: GraphSigner

    init() throws {
        forge = try TokenForge()
        holderForge = try TokenForge(seed: 5)
        issuer = try GraphSigner(.eddsaRDFC2022)
        holder = try GraphSigner(.eddsaRDFC2022, seed: 32)
    }

    // MARK: - A holder's own credential with a stolen one

    private static let mine = "[[accept]]\nid = \"r\"\nholder = \"required\"\n"

    private func tokenPresentation(_ subjects: [Text]) throws -> [UInt8] {
        let credentials = try subjects.map { subject -> JSON in
            let document = forge.v2.with("credentialSubject", ["id": .string(subject)])
            return [
                "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
                "id": .text("data:application/vc+jwt," + (try forge.sign(forge.header("vc+jwt"), document))),
            ]
        }
        let claims: JSONObject = [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
            "iss": .string(holderForge.id), "iat": .int(TokenForge.now - 5),
            "verifiableCredential": .array(credentials),
        ]
        return Array(try holderForge.sign(holderForge.header("vp+jwt"), claims).utf8)
    }

    private func graphCredential(_ subject: Text, _ changes: (inout JSONObject) -> Void = { _ in }) throws -> JSON {
        var document: JSONObject = [
            "@context": issuer.heads(), "type": ["VerifiableCredential"], "issuer": .string(issuer.id),
            "validFrom": "2026-01-01T00:00:00Z", "credentialSubject": ["id": .string(subject)],
        ]
        changes(&document)
        return try issuer.sign(document)
    }

    private func graphPresentation(_ credentials: [JSON]) throws -> [UInt8] {
        try holder.sign(
            [
                "@context": holder.heads(), "type": ["VerifiablePresentation"],
                "verifiableCredential": .array(credentials),
            ], purpose: "authentication"
        ) {
            $0["created"] = .text(Timestamp(seconds: Int64(TokenForge.now - 5)).rfc3339)
        }.compactBytes
    }

    private func verify(
        _ payload: [UInt8], _ rules: String?, recent: Set<[UInt8]> = [], demand: HolderDemand = .init()
    ) throws -> Verdict {
        var material = TrustMaterial(issuers: [TrustedIssuer(id: forge.id), TrustedIssuer(id: issuer.id)])
        material.contexts = issuer.contexts.mapValues(\.compactBytes)
        let policy = try rules.map { VerificationPolicy(try PolicyFixture.parse($0)) } ?? VerificationPolicy()
        return Verifier(trust: try TrustStore(material), policy: policy)
            .verify(payload, demand: demand, recent: recent, at: TokenForge.clock)
    }

    /// A holder who presents another person's credential together with his own has not proven that both are his.
    @Test func anOwnAndAStolenToken() throws {
        let (own, other): (Text, Text) = (holderForge.id, "did:example:other")
        #expect(try verify(tokenPresentation([own]), Self.mine).isAccepted)
        #expect(try verify(tokenPresentation([own, own]), Self.mine).isAccepted)
        for subjects in [[own, other], [other, own], [other]] {
            #expect(try verify(tokenPresentation(subjects), Self.mine).code == .holderProofMissing)
        }
    }

    @Test func anOwnAndAStolenDocument() throws {
        let (own, other) = (try graphCredential(holder.id), try graphCredential("did:example:other"))
        let another = try graphCredential(holder.id) { $0["validFrom"] = "2026-02-02T00:00:00Z" }
        #expect(try verify(graphPresentation([own]), Self.mine).isAccepted)
        #expect(try verify(graphPresentation([own, another]), Self.mine).isAccepted)
        for credentials in [[own, other], [other, own], [other]] {
            #expect(try verify(graphPresentation(credentials), Self.mine).code == .holderProofMissing)
        }
    }

    /// The proof counts only if all subjects are the holder.
    @Test func aCredentialAboutTwo() throws {
        let both = try graphCredential(holder.id) {
            $0["credentialSubject"] = [["id": .string(holder.id)], ["id": "did:example:other"]]
        }
        #expect(try verify(graphPresentation([both]), "[[accept]]\nid = \"r\"\n").isAccepted)
        #expect(try verify(graphPresentation([both]), Self.mine).code == .holderProofMissing)
    }

    // MARK: - A replayed credential with a fresh one

    @Test func oneOfTwoWasSeen() throws {
        let (seen, fresh) = (try graphCredential("did:example:a"), try graphCredential("did:example:b"))
        let keys = Set(try verify(seen.compactBytes, nil).replayKeys)
        #expect(keys.count == 1)
        #expect(try verify(graphPresentation([fresh]), nil, recent: keys).isAccepted)
        for credentials in [[seen, fresh], [fresh, seen]] {
            let payload = try graphPresentation(credentials)
            #expect(try verify(payload, nil).isAccepted)
            #expect(try verify(payload, nil, recent: keys).code == .replaySeen)
            #expect(try verify(payload, "[[accept]]\nid = \"r\"\n", recent: keys).code == .replaySeen)
        }
        // The verdict contains all of them, so that each credential is recognised alone.
        let both = Set(try verify(graphPresentation([seen, fresh]), nil).replayKeys)
        for credential in [seen, fresh] {
            #expect(try verify(credential.compactBytes, nil, recent: both).code == .replaySeen)
        }
    }

    @Test func oneOfTwoTokensWasSeen() throws {
        let keys = Set(try verify(tokenPresentation(["did:example:a"]), nil).replayKeys)
        let payload = try tokenPresentation(["did:example:b"])
        #expect(try !keys.isEmpty && Set(verify(payload, nil).replayKeys).isDisjoint(with: keys))
        let bySubject = "replay.key = \"subject\"\n[[accept]]\nid = \"r\"\n"
        let subject = Set(try verify(tokenPresentation(["did:example:a"]), bySubject).replayKeys)
        for subjects in [["did:example:a", "did:example:b"], ["did:example:b", "did:example:a"]] as [[Text]] {
            #expect(try verify(tokenPresentation(subjects), bySubject, recent: subject).code == .replaySeen)
        }
    }

    // MARK: - A challenge outside the signature

    /// The context defines the suite but no challenge. Anyone who has the presentation can write any challenge into its
    /// proof, so the challenge does not answer the gate.
    @Test(arguments: [Profile.strict, .compat]) func aChallengeThatNothingCovers(profile: Profile) throws {
        let url: Text = "https://wallet.example/proof/v1"
        let terms = "https://w3id.org/security#"
        let date: JSON = [
            "@id": "http://purl.org/dc/terms/created", "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
        ]
        func context(knowing more: JSONObject) -> JSON {
            var scoped: JSONObject = [
                "created": date,
                "verificationMethod": ["@id": .text(terms + "verificationMethod"), "@type": "@id"],
                "proofPurpose": ["@id": .text(terms + "proofPurpose"), "@type": "@vocab"],
                "authentication": .text(terms + "authenticationMethod"),
            ]
            for member in more.members { scoped[member.name] = member.value }
            return [
                "@context": [
                    "Ed25519Signature2020": [
                        "@id": .text(terms + "Ed25519Signature2020"), "@context": .object(scoped),
                    ],
                    "proof": ["@id": .text(terms + "proof"), "@type": "@id", "@container": "@graph"],
                ]
            ]
        }
        let known: JSONObject = ["challenge": .text(terms + "challenge"), "domain": .text(terms + "domain")]
        for (isCovered, context) in [(true, context(knowing: known)), (false, context(knowing: [:]))] {
            let wallet = try GraphSigner(.ed25519Signature2020, seed: 33, contexts: [url: context])
            let document: JSONObject = [
                "@context": [.string(GraphSigner.base), .string(url)], "type": ["VerifiablePresentation"],
                "verifiableCredential": [try graphCredential(wallet.id)],
            ]
            let signed = try wallet.sign(document, purpose: "authentication") {
                $0["challenge"] = "n-1"
                $0["domain"] = "gate.example"
            }
            var material = TrustMaterial(issuers: [TrustedIssuer(id: issuer.id)])
            material.contexts = issuer.contexts.merging([url: context]) { $1 }.mapValues(\.compactBytes)
            let verifier = Verifier(trust: try TrustStore(material), policy: VerificationPolicy(profile: profile))
            func code(_ member: Text?, _ demand: HolderDemand) -> ReasonCode {
                var proof = signed["proof"]?.object ?? [:]
                for name in ["challenge", "domain"] as [Text] where name != member { proof[name] = nil }
                let shown = signed.replacing(JSONPlace() / "proof", by: .object(proof))
                return verifier.verify(
                    (isCovered ? signed : shown).compactBytes, demand: demand, at: TokenForge.clock
                ).code
            }
            let wanted: ReasonCode = isCovered ? .ok : .holderInvalid
            #expect(code("challenge", HolderDemand(nonce: "n-1")) == wanted)
            #expect(code("domain", HolderDemand(audience: "gate.example")) == wanted)
            #expect(code("challenge", HolderDemand()) == wanted)
            // Without the uncovered member the same signature is valid.
            #expect(code(nil, HolderDemand()) == .ok)
        }
    }

    // MARK: - Clocks

    /// A clock that is not trusted proves nothing about dates, even if there are no rules.
    @Test func tokensUnderAnUntrustedClock() throws {
        let tokens = [
            try forge.sign(forge.header("JWT"), forge.jwtClaims), try forge.sign(forge.header("vc+jwt"), forge.v2),
            try forge.sdJWT(),
        ]
        for token in tokens {
            func code(_ provenance: WallTime.Provenance, _ policy: VerificationPolicy = .init()) throws -> ReasonCode {
                Verifier(trust: try TrustStore(forge.material), policy: policy).verify(
                    Array(token.utf8), at: WallTime(utc: TokenForge.clock.utc, provenance: provenance)
                ).code
            }
            #expect(try code(.saved) == .clockUntrusted)
            #expect(try code(.rtc) == .ok)
            var strict = VerificationPolicy()
            strict.minimumClock = .synchronised
            #expect(try code(.rtc, strict) == .clockUntrusted)
            #expect(try code(.synchronised, strict) == .ok)
        }
    }

    /// A token is valid from the first moment of its `nbf` up to and including the last moment of its `exp`
    /// and of the skew.
    @Test func theLastSecondOfAToken() throws {
        let (start, end) = (TokenForge.now - 1000, TokenForge.now + 1000)
        let tokens = [
            try forge.sign(
                forge.header("JWT"),
                forge.jwtClaims.with("nbf", .int(start)).with("exp", .int(end)).with(
                    "vc",
                    .object(
                        forge.v1.without("issuanceDate").without("expirationDate")
                            .with("issuanceDate", .text(Timestamp(seconds: Int64(start)).rfc3339))
                            .with("expirationDate", .text(Timestamp(seconds: Int64(end)).rfc3339))))),
            try forge.sdJWT {
                $0["nbf"] = .int(start)
                $0["iat"] = .int(start)
                $0["exp"] = .int(end)
            },
        ]
        for token in tokens {
            for skew in [0, 60] {
                var policy = VerificationPolicy()
                policy.clockSkew = .seconds(skew)
                func code(_ seconds: Int, nanoseconds: Int32 = 0) throws -> ReasonCode {
                    let now = Timestamp(seconds: Int64(seconds), nanoseconds: nanoseconds)
                    return Verifier(trust: try TrustStore(forge.material), policy: policy).verify(
                        Array(token.utf8), at: WallTime(utc: now, provenance: .given)
                    ).code
                }
                #expect(try code(end + skew) == .ok)
                #expect(try code(end + skew, nanoseconds: 1) == .validityExpired)
                #expect(try code(end + skew + 1) == .validityExpired)
                #expect(try code(start - skew) == .ok)
                #expect(try code(start - skew - 1, nanoseconds: 999_999_999) == .validityNotYet)
            }
        }
    }
}
