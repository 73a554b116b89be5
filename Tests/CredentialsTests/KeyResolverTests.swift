import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// The owner of a key. A stored document may list methods of another party, and keys end.
@Suite struct KeyResolverTests {
    private let issuer: TestIssuer
    private let own: Text = "did:web:issuer.example"
    private let other: Text = "did:web:other.example"
    private let now = TestIssuer.clock.utc

    init() throws { issuer = try TestIssuer(seed: 7) }

    /// Returns a method of `controller` with the id `did:web:issuer.example#1`.
    private func method(of controller: JSON, _ change: (inout JSONObject) -> Void = { _ in }) -> JSON {
        let key = Base64.encode(Array(issuer.key.publicKey.rawRepresentation))
        var method: JSONObject = [
            "id": .text("\(own)#1"), "type": "JsonWebKey", "controller": controller,
            "publicKeyJwk": ["kty": "OKP", "crv": "Ed25519", "x": .text(key)],
        ]
        change(&method)
        return .object(method)
    }

    private func document(_ id: Text, _ methods: [JSON], lists: Bool = true) -> JSON {
        [
            "id": .string(id), "verificationMethod": .array(methods),
            "assertionMethod": lists ? [.text("\(own)#1")] : [],
        ]
    }

    private func code(
        _ documents: [JSON], of id: Text? = nil, controllers: [Text] = [],
        change: (inout TrustedIssuer) -> Void = { _ in }
    ) throws -> ReasonCode {
        var entry = TrustedIssuer(id: id ?? own, controllers: controllers)
        change(&entry)
        let trust = try TrustStore(TrustMaterial(issuers: [entry], documents: documents.map(\.compactBytes)))
        do throws(Rejection) {
            _ = try KeyResolver(trust: trust, now: now).key(
                Text("\(own)#1"), for: .assertionMethod, of: KeyResolver.Authority(entry), at: "")
            return .ok
        } catch { return error.reason.code }
    }

    /// A document that lists a foreign key gives the owner of the key no right to sign in the document's name, and
    /// gives the key to no other party.
    @Test func methodsOfAnotherController() throws {
        let foreign = document(own, [method(of: .string(other))])
        #expect(try code([document(own, [method(of: .string(own))])]) == .ok)
        #expect(try code([foreign]) == .issuerKeyMismatch, "the document's own issuer")
        #expect(try code([foreign], of: other) == .issuerKeyMismatch, "its controller's document is not known")
        #expect(try code([foreign], controllers: [other]) == .issuerKeyMismatch)
        let (listing, silent) = (document(other, []), document(other, [], lists: false))
        #expect(try code([foreign, listing], of: other) == .ok, "its controller lists it")
        #expect(try code([foreign, listing], controllers: [other]) == .ok)
        #expect(try code([foreign, silent], of: other) == .keyNotAuthorised)
        #expect(try code([foreign, silent], controllers: [other]) == .keyNotAuthorised)
        #expect(try code([foreign, listing]) == .issuerKeyMismatch)
        // An entry that allows every key of the issuer's document does not allow keys of other parties.
        let wide: (inout TrustedIssuer) -> Void = { $0.keyPurpose = .didWide }
        #expect(try code([foreign, silent], controllers: [other], change: wide) == .keyNotAuthorised)
    }

    /// A single key may sign for its controller if the operator's entry says so and the controller's document is
    /// unknown. A known document decides.
    @Test func singleKeys() throws {
        let key = method(of: .string(other))
        #expect(try code([key], of: other) == .issuerKeyMismatch)
        #expect(try code([key], of: other, controllers: [Text("\(own)#1")]) == .ok)
        #expect(try code([key]) == .issuerKeyMismatch)
        #expect(try code([key, document(other, [])], of: other) == .ok)
        #expect(try code([key, document(other, [], lists: false)], of: other) == .keyNotAuthorised)
    }

    /// From the moment of `expires` or `revoked`, a key does not count (Controlled Identifiers 1.0 section 2.2).
    @Test(arguments: ["expires", "revoked"] as [Text]) func theLastSecond(_ name: Text) throws {
        func code(_ seconds: Int64) throws -> ReasonCode {
            let end = Timestamp(seconds: now.seconds + seconds).rfc3339
            return try self.code([document(own, [method(of: .string(own)) { $0[name] = .text(end) }])])
        }
        #expect(try code(-1) == .keyRevoked)
        #expect(try code(0) == .keyRevoked)
        #expect(try code(1) == .ok)
    }

    /// `null` in an optional member means that the member is absent.
    @Test func nullIsAbsence() throws {
        for name in ["expires", "revoked", "publicKeyMultibase", "publicKeyPem", "publicKeyBase58"] as [Text] {
            #expect(try code([document(own, [method(of: .string(own)) { $0[name] = .null }])]) == .ok, "\(name)")
        }
        #expect(try code([document(own, [method(of: .null)])]) == .ok)
        for name in ["use", "key_ops", "kid"] as [Text] {
            let changed = method(of: .string(own)) {
                var key = $0["publicKeyJwk"]?.object ?? JSONObject()
                key[name] = .null
                $0["publicKeyJwk"] = .object(key)
            }
            #expect(try code([document(own, [changed])]) == .ok, "\(name)")
        }
        // A key with null material has no material.
        #expect(
            try code([document(own, [method(of: .string(own)) { $0["publicKeyJwk"] = .null }])]) == .keyMalformed)
    }

    // MARK: - did:jwk

    private func jwk(_ more: String = "") -> [UInt8] {
        let x = Base64.encode(Array(issuer.key.publicKey.rawRepresentation))
        return Array("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\"\(more)}".utf8)
    }

    private func selfContained(_ id: String, authority: Text? = nil) throws -> ReasonCode {
        let entry = TrustedIssuer(id: authority ?? Text(id))
        let trust = try TrustStore(TrustMaterial(issuers: [entry]))
        do throws(Rejection) {
            let key = try KeyResolver(trust: trust, now: now).key(
                Text(id + "#0"), for: .assertionMethod, of: KeyResolver.Authority(entry), at: "")
            guard case .ed25519(let bytes) = key else { return .internal }
            return bytes == Array(issuer.key.publicKey.rawRepresentation) ? .ok : .internal
        } catch { return error.reason.code }
    }

    @Test func operationsOfJWK() throws {
        for (more, wanted) in [
            ("", ReasonCode.ok), (#","key_ops":["verify"]"#, .ok), (#","key_ops":["sign"]"#, .ok),
            (#","key_ops":["encrypt","verify"]"#, .ok), (#","key_ops":null,"use":null"#, .ok), (#","use":"sig""#, .ok),
            (#","key_ops":["encrypt"]"#, .keyNotAuthorised), (#","key_ops":[]"#, .keyNotAuthorised),
            (#","key_ops":"verify""#, .keyNotAuthorised), (#","use":"enc""#, .keyNotAuthorised),
            (#","use":"sig","key_ops":["deriveKey"]"#, .keyNotAuthorised),
        ] {
            #expect(try selfContained("did:jwk:" + Base64.encode(jwk(more))) == wanted, "\(more)")
        }
    }

    /// MOSIP's wallets pad the identifier. Both spellings contain the same key, but neither may sign in the name of the
    /// other.
    @Test func paddedJWK() throws {
        for more in ["", " ", "  "] {
            let plain = "did:jwk:" + Base64.encode(jwk() + Array(more.utf8))
            let padding = String(repeating: "=", count: (4 - plain.dropFirst(8).count % 4) % 4)
            #expect(try selfContained(plain + padding) == .ok)
            if padding.isEmpty { continue }
            #expect(try selfContained(plain + padding, authority: Text(plain)) == .issuerKeyMismatch)
            #expect(try selfContained(plain, authority: Text(plain + padding)) == .issuerKeyMismatch)
            for wrong in [padding + "=", padding + "==", padding + "===", padding == "==" ? "=" : "=="] {
                #expect(try selfContained(plain + wrong) == .keyMalformed, "\(wrong)")
            }
        }
    }
}
