import Crypto
package import Encoding
import X509

@testable import Credentials

extension CBOR: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(integerLiteral value: Int) {
        self.init(value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value)))
    }
    package init(stringLiteral value: String) { self.init(.text(Text(value))) }
    package init(booleanLiteral value: Bool) { self.init(.simple(value ? 21 : 20)) }
    package init(arrayLiteral elements: CBOR...) { self.init(.array(elements)) }
    package init(dictionaryLiteral elements: (CBOR, CBOR)...) { self.init(.map(elements.map { Pair($0.0, $0.1) })) }

    static func bytes(_ bytes: [UInt8]) -> CBOR { CBOR(.bytes(bytes[...])) }
    static func tag(_ number: UInt64, _ content: CBOR) -> CBOR { CBOR(.tag(number, content)) }
    /// #6.24(bstr .cbor item)
    static func embedded(_ item: CBOR) -> CBOR { .tag(24, .bytes(item.value.deterministicBytes)) }

    /// Returns the map with one member set or removed.
    func with(_ key: CBOR, _ value: CBOR?) -> CBOR {
        let name = key.value.deterministicBytes
        let rest = (map ?? []).filter { $0.key.value.deterministicBytes != name }
        return CBOR(.map(rest + (value.map { [Pair(key, $0)] } ?? [])))
    }
}

/// An mdoc under construction; it is valid until a test changes it. **Test keys.**
struct TestMdoc {
    /// A root and a document signer below it, made once.
    struct Issuer {
        let root: TestPKI.Member
        let signer: TestPKI.Member
        let sign: @Sendable ([UInt8]) throws -> [UInt8]
        let algorithm: CBOR

        init(_ change: (inout TestPKI.Template) -> Void = { _ in }) throws {
            let key = P256.Signing.PrivateKey()
            try self.init(.init(key), algorithm: -7, change) { try Array(key.signature(for: $0).rawRepresentation) }
        }

        init(
            _ key: Certificate.PrivateKey, algorithm: CBOR, _ change: (inout TestPKI.Template) -> Void = { _ in },
            sign: @escaping @Sendable ([UInt8]) throws -> [UInt8]
        ) throws {
            root = try TestPKI.root("IACA")
            var template = try TestPKI.Template.documentSigner()
            template.key = key
            change(&template)
            signer = try TestPKI.issue(template, by: root)
            self.algorithm = algorithm
            self.sign = sign
        }

        var rootID: Text { get throws { TrustedIssuer.id(ofRoot: try root.der) } }
        var material: TrustMaterial { get throws { TrustMaterial(roots: [TestPKI.pem(try root.der)]) } }
    }

    static let clock = WallTime(utc: TestPKI.now, provenance: .given)
    static let nameSpace = "org.iso.18013.5.1"

    let issuer: Issuer
    /// Namespace → items; each is an IssuerSignedItem before it is encoded.
    var items: [(nameSpace: String, items: [CBOR])] = [
        (
            nameSpace,
            [
                item(0, "family_name", "Rao"), item(1, "birth_date", .tag(1004, "1990-06-15")),
                item(2, "issuing_country", "UT"), item(3, "portrait", .bytes([1, 2, 3])), item(4, "age_over_18", true),
            ]
        )
    ]
    var hash: @Sendable ([UInt8]) -> [UInt8] = { Array(SHA256.hash(data: $0)) }
    var object: CBOR
    var protected: CBOR
    var unprotected: CBOR
    /// A change after everything is signed.
    var changeMessage: (CBOR) -> CBOR = { $0 }
    var changeIssuerSigned: (CBOR) -> CBOR = { $0 }
    var changeItem: (CBOR) -> CBOR = { .embedded($0) }
    var wrap: (CBOR) -> CBOR = { ["docType": "org.iso.18013.5.1.mDL", "issuerSigned": $0] }
    /// Returns the bytes that are hashed and signed for the object.
    var payload: ((CBOR) -> [UInt8]) = { CBOR.embedded($0).value.deterministicBytes }

    init(_ issuer: Issuer) throws {
        self.issuer = issuer
        object = [
            "version": "1.0", "digestAlgorithm": "SHA-256", "docType": "org.iso.18013.5.1.mDL",
            "deviceKeyInfo": ["deviceKey": [1: 2]],
            "validityInfo": [
                "signed": .tag(0, "2026-01-01T00:00:00Z"), "validFrom": .tag(0, "2026-01-01T00:00:00Z"),
                "validUntil": .tag(0, "2027-01-01T00:00:00Z"),
            ],
        ]
        protected = [1: issuer.algorithm]
        unprotected = [33: .bytes(try issuer.signer.der)]
    }

    static func item(_ id: Int, _ name: String, _ value: CBOR) -> CBOR {
        [
            "digestID": CBOR(.unsigned(UInt64(id))), "random": .bytes([UInt8](repeating: UInt8(id & 0xFF), count: 16)),
            "elementIdentifier": CBOR(.text(Text(name))), "elementValue": value,
        ]
    }

    /// Sets or removes a member of the signed object's validityInfo.
    mutating func setDate(_ name: CBOR, _ value: CBOR?) {
        object = object.with("validityInfo", object["validityInfo"]?.with(name, value))
    }

    /// Returns the CBOR item with its digests and its signature.
    func build() throws -> CBOR {
        var digests: [CBOR.Pair] = []
        var spaces: [CBOR.Pair] = []
        for (name, items) in items {
            let pairs = items.map { item in
                CBOR.Pair(item["digestID"] ?? 0, .bytes(hash(CBOR.embedded(item).value.deterministicBytes)))
            }
            let name = CBOR(.text(Text(name)))
            digests.append(CBOR.Pair(name, CBOR(.map(pairs))))
            spaces.append(CBOR.Pair(name, CBOR(.array(items.map(changeItem)))))
        }
        let object = object["valueDigests"] == nil ? object.with("valueDigests", CBOR(.map(digests))) : object
        let payload = payload(object)
        let protected = protected.map?.isEmpty ?? false ? [] : protected.value.deterministicBytes
        let signed: CBOR = ["Signature1", .bytes(protected), .bytes([]), .bytes(payload)]
        let signature = try issuer.sign(signed.value.deterministicBytes)
        let message: CBOR = [.bytes(protected), unprotected, .bytes(payload), .bytes(signature)]
        let issuerSigned: CBOR = ["nameSpaces": CBOR(.map(spaces)), "issuerAuth": changeMessage(message)]
        return wrap(changeIssuerSigned(issuerSigned))
    }

    func letters() throws -> [UInt8] { Array(Base64.encode(try build().value.deterministicBytes).utf8) }

    static func letters(_ bytes: [UInt8]) -> [UInt8] { Array(Base64.encode(bytes).utf8) }

    func verify(
        _ material: TrustMaterial? = nil, policy: VerificationPolicy = .init(), demand: HolderDemand = .init(),
        mode: Credentials.Verifier.Mode = .full, at clock: WallTime = TestMdoc.clock
    ) throws -> Verdict {
        try Credentials.Verifier(trust: TrustStore(material ?? issuer.material), policy: policy)
            .verify(letters(), claimed: .mdoc, demand: demand, at: clock, mode: mode)
    }
}
