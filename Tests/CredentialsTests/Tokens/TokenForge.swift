import Crypto
import Encoding

@testable import Credentials

/// Makes tokens as a did:key on P-256, with a key of its own (a **test key**, from a fixed seed).
struct TokenForge {
    let key: P256.Signing.PrivateKey
    let id: Text
    let method: Text

    init(seed: UInt8 = 3) throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        let value = Multibase.encodeBase58([0x80, 0x24] + key.publicKey.compressedRepresentation)
        id = Text("did:key:" + value)
        method = Text(id.string + "#" + value)
    }

    static let clock = WallTime(utc: Timestamp(seconds: 1_795_262_400), provenance: .given)
    static let now = 1_795_262_400

    var material: TrustMaterial { TrustMaterial(issuers: [TrustedIssuer(id: id)]) }

    /// The public key as a JWK.
    var jwk: JSON {
        let point = Array(key.publicKey.x963Representation)
        return [
            "kty": "EC", "crv": "P-256", "x": .text(Base64.encode(point[1...32])),
            "y": .text(Base64.encode(point[33...64])),
        ]
    }

    /// Returns the header members of an issuer's token of that type.
    func header(_ type: Text? = nil) -> JSONObject {
        var header: JSONObject = ["alg": "ES256", "kid": .string(method)]
        if let type { header["typ"] = .string(type) }
        return header
    }

    func sign(_ header: JSONObject, _ claims: JSONObject) throws -> String {
        try sign(JSON.object(header).compactText, JSON.object(claims).compactText)
    }

    /// Signs the header and the payload as texts, so that they need not be JSON.
    func sign(_ header: String, _ payload: String) throws -> String {
        let input = Base64.encode(Array(header.utf8)) + "." + Base64.encode(Array(payload.utf8))
        let signature = try key.signature(for: Array(input.utf8)).rawRepresentation
        return input + "." + Base64.encode(signature)
    }

    // MARK: credentials

    /// The claims of an SD-JWT VC, for tests to change.
    var claims: JSONObject {
        [
            "iss": .string(id), "iat": 1_767_600_000, "nbf": 1_767_600_000, "exp": 1_799_136_000,
            "vct": "https://credentials.example/employee-pass",
        ]
    }

    /// Returns an SD-JWT VC with these changes to the claims and these disclosures (as texts).
    func sdJWT(
        _ disclosures: [String] = [], type: Text? = "dc+sd-jwt", changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims = claims
        changes(&claims)
        return try ([sign(header(type), claims)] + disclosures).joined(separator: "~") + "~"
    }

    /// A credential of VCDM 1.1.
    var v1: JSONObject {
        [
            "@context": ["https://www.w3.org/2018/credentials/v1"], "id": "urn:uuid:77",
            "type": ["VerifiableCredential", "EmployeePassCredential"], "issuer": .string(id),
            "issuanceDate": "2026-01-05T08:00:00Z", "expirationDate": "2027-01-05T08:00:00Z",
            "credentialSubject": ["id": "did:example:emp-77", "employeeNumber": "E-000077"],
        ]
    }

    /// A credential of VCDM 2.0.
    var v2: JSONObject {
        [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "id": "urn:uuid:78",
            "type": ["VerifiableCredential", "EmployeePassCredential"], "issuer": .string(id),
            "validFrom": "2026-01-05T08:00:00Z", "validUntil": "2027-01-05T08:00:00Z",
            "credentialSubject": ["id": "did:example:emp-77", "employeeNumber": "E-000077"],
        ]
    }

    /// The claims of a `jwt_vc_json` around ``v1``.
    var jwtClaims: JSONObject {
        [
            "iss": .string(id), "sub": "did:example:emp-77", "jti": "urn:uuid:77", "nbf": 1_767_600_000,
            "exp": 1_799_136_000, "vc": .object(v1),
        ]
    }

    // MARK: verification

    func verify(
        _ token: String, profile: Profile = .strict, claimed: CredentialFormat? = nil,
        demand: HolderDemand = .init(), recent: Set<[UInt8]> = [], limits: Limits = .init(),
        material: TrustMaterial? = nil
    ) throws -> Verdict {
        let trust = try TrustStore(material ?? self.material)
        return Verifier(trust: trust, policy: VerificationPolicy(profile: profile), limits: limits)
            .verify(Array(token.utf8), claimed: claimed, demand: demand, recent: recent, at: Self.clock)
    }

    /// Returns the processed payload of an SD-JWT that is accepted.
    func processed(_ token: String, claimed: CredentialFormat? = nil) throws -> JSON? {
        let verificationContext = VerificationContext(
            trust: try TrustStore(material), policy: VerificationPolicy(), limits: Limits(), clock: Self.clock,
            onStage: nil)
        let received = try Envelope(limits: Limits()).token(Array(token.utf8), claimed: claimed)
        guard case .sdJWT(let token) = received.body else { return nil }
        var check = SDJWTCheck(
            token, as: received.kind, verificationContext,
            summary: CredentialSummary(format: received.format))
        try check.verify()
        return check.evidence.claims?.document
    }
}

/// Makes disclosures as an issuer does.
enum Disclose {
    static func text(_ json: JSON) -> String { Base64.encode(json.compactBytes) }

    static func member(_ name: Text, _ value: JSON, salt: Text = "_26bc4LT-ac6q2KI6cBW5es") -> String {
        text([.string(salt), .string(name), value])
    }

    static func element(_ value: JSON, salt: Text = "lklxF5jMYlGTPUovMNIvCA") -> String {
        text([.string(salt), value])
    }

    static func digest(_ disclosure: String, _ hash: DisclosureHash = .sha256) -> JSON {
        .string(hash.digest(Array(disclosure.utf8)[...]))
    }

    static func digests(_ disclosures: [String]) -> JSON { .array(disclosures.map { digest($0) }) }
}

extension SignedClaims {
    /// The signed text as it is presented, without the withheld parts.
    var document: JSON? {
        guard let text else { return nil }
        return Self.shown(text.document, without: text.withheld, at: "")
    }

    private static func shown(_ value: JSON, without withheld: Set<Text>, at pointer: String) -> JSON {
        switch value {
        case .object(let object):
            let members = object.members.map { member in
                JSONObject.Member(
                    member.name, shown(member.value, without: withheld, at: Pointer.append(pointer, member.name)))
            }
            return .object(JSONObject(members))
        case .array(let elements):
            let places = elements.indices.filter { !withheld.contains(Text(Pointer.append(pointer, $0))) }
            return .array(places.map { shown(elements[$0], without: withheld, at: Pointer.append(pointer, $0)) })
        default: return value
        }
    }
}
