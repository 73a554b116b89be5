import Crypto
import Encoding
import Reasons
import Testing
import X509

@testable import Credentials

/// IETF status list tokens from the cache, in both forms: every possible error, and every value.
@Suite struct TokenStatusTests {
    private let issuer: TestIssuer
    private let url: Text = "https://issuer.example/status/1"
    private let now = TestIssuer.clock.utc.seconds

    init() throws { issuer = try TestIssuer(seed: 7) }

    // MARK: - Making lists

    private func compressed(bits: Int = 2, set: [Int: UInt8] = [:], bytes: Int = 1024) throws -> [UInt8] {
        var list = [UInt8](repeating: 0, count: bytes)
        for (index, value) in set { list[index * bits / 8] |= value << UInt8(index * bits % 8) }
        return try Gzip.deflate(list, container: .zlib)
    }

    private func claims(bits: Int = 2, set: [Int: UInt8] = [:]) throws -> JSONObject {
        [
            "sub": .string(url), "iat": .int(Int(now) - 3600), "exp": .int(Int(now) + 3600), "ttl": 60,
            "status_list": ["bits": .int(bits), "lst": .text(Base64.encode(try compressed(bits: bits, set: set)))],
        ]
    }

    private func jwt(
        bits: Int = 2, set: [Int: UInt8] = [:], by signer: TestIssuer? = nil, header: JSONObject = JSONObject(),
        changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> [UInt8] {
        var claims = try claims(bits: bits, set: set)
        changes(&claims)
        let signer = signer ?? issuer
        var head: JSONObject = ["alg": "EdDSA", "typ": "statuslist+jwt", "kid": .string(signer.method)]
        for member in header.members { head[member.name] = member.value.isNull ? JSON?.none : member.value }
        let input =
            Base64.encode(JSON.object(head).compactBytes) + "." + Base64.encode(JSON.object(claims).compactBytes)
        return Array((input + "." + Base64.encode(try signer.key.signature(for: Array(input.utf8)))).utf8)
    }

    private static func pair(_ label: Int64, _ value: CBOR.Content) -> CBOR.Pair {
        CBOR.Pair(CBOR(label < 0 ? .negative(UInt64(-1 - label)) : .unsigned(UInt64(label))), CBOR(value))
    }

    private func cwt(
        set: [Int: UInt8] = [:], algorithm: Int64 = -8, tags: [UInt64] = [18],
        type: Text? = "application/statuslist+cwt",
        typeIsProtected: Bool = true, header: [CBOR.Pair]? = nil,
        changes: (inout [Int64: CBOR.Content]) -> Void = { _ in },
        sign: ([UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        let list = CBOR.Content.map([
            CBOR.Pair(CBOR(.text("bits")), CBOR(.unsigned(2))),
            CBOR.Pair(CBOR(.text("lst")), CBOR(.bytes(try compressed(set: set)[...]))),
        ])
        var claims: [Int64: CBOR.Content] = [
            2: .text(url), 6: .unsigned(UInt64(now - 3600)), 4: .unsigned(UInt64(now + 3600)), 65534: .unsigned(60),
            65533: list,
        ]
        changes(&claims)
        let payload = CBOR(.map(claims.map { Self.pair($0.key, $0.value) })).encoded
        let typed = type.map { [Self.pair(16, .text($0))] } ?? []
        let named = [Self.pair(4, .bytes(Array(issuer.method.utf8)[...]))]
        let protected = CBOR(
            .map([Self.pair(1, .negative(UInt64(-1 - algorithm)))] + (typeIsProtected ? typed : []))
        ).encoded
        let unprotected = CBOR.Content.map((header ?? named) + (typeIsProtected ? [] : typed))
        let input = CBOR(
            .array([
                CBOR(.text("Signature1")), CBOR(.bytes(protected)), CBOR(.bytes([])), CBOR(.bytes(payload)),
            ])
        ).encoded
        var message = CBOR(
            .array([
                CBOR(.bytes(protected)), CBOR(unprotected), CBOR(.bytes(payload)),
                CBOR(.bytes(try sign(Array(input))[...])),
            ]))
        for tag in tags { message = CBOR(.tag(tag, message)) }
        return Array(message.encoded)
    }

    // MARK: - Queries

    private func verificationContext(
        _ list: [UInt8]?, _ material: TrustMaterial? = nil, policy: VerificationPolicy = .init()
    ) throws -> VerificationContext {
        var material = material ?? issuer.material
        if let list { material.statusLists[url] = list }
        return VerificationContext(
            trust: try TrustStore(material), policy: policy, limits: Limits(), clock: TestIssuer.clock, onStage: nil)
    }

    private func outcome(
        _ list: [UInt8]?, index: JSON = 42, status: JSON? = nil, of asked: TrustedIssuer? = nil,
        _ material: TrustMaterial? = nil
    ) throws -> String {
        let check = TokenStatusCheck(
            verificationContext: try verificationContext(list, material), issuer: asked ?? TrustedIssuer(id: issuer.id))
        var evidence = Evidence(CredentialSummary())
        let claim: JSON = status ?? ["status_list": ["idx": index, "uri": .string(url)]]
        do throws(Rejection) {
            try check.check(claim, at: "/status", into: &evidence)
            return "ok"
        } catch { return error.reason.code.text }
    }

    @Test func values() throws {
        for (value, wanted) in [(0, "ok"), (1, "status.revoked"), (2, "status.suspended"), (3, "status.invalid")] {
            #expect(try outcome(jwt(set: [41: 3, 42: UInt8(value), 43: 3])) == wanted)
        }
        for value: UInt8 in [1, 2, 3, 0x0B, 0x0C, 0x0F, 0x80, 0xFF] {
            let wanted = [1: "status.revoked", 2: "status.suspended"][value] ?? "status.invalid"
            #expect(try outcome(jwt(bits: 8, set: [42: value])) == wanted, "\(value)")
        }
        #expect(try outcome(jwt(bits: 1, set: [42: 1])) == "status.revoked")
        #expect(try outcome(jwt(bits: 4, set: [42: 2, 43: 15])) == "status.suspended")
    }

    @Test func references() throws {
        let list = try jwt()
        #expect(try outcome(list, index: 4095) == "ok")
        for wrong in [4096, .int(.max)] as [JSON] {
            #expect(try outcome(list, index: wrong) == "status.invalid", "\(wrong)")
        }
        for wrong in [-1, "42", try JSON.parse(Array("4.5".utf8)), .null] as [JSON] {
            #expect(try outcome(list, index: wrong) == "shape.status", "\(wrong)")
        }
        #expect(try outcome(list, status: ["status_list": ["idx": 1]]) == "shape.status")
        #expect(try outcome(list, status: ["status_list": ["idx": 1, "uri": 7]]) == "shape.status")
        #expect(try outcome(list, status: ["status_list": "x"]) == "shape.status")
        #expect(try outcome(list, status: ["other_mechanism": [:]]) == "status.unavailable")
        #expect(try outcome(list, status: [:]) == "status.unavailable")
        #expect(try outcome(list, status: "x") == "shape.status")
        #expect(try outcome(nil) == "status.unavailable")
    }

    @Test func claimsOfTheList() throws {
        func changed(_ changes: @escaping (inout JSONObject) -> Void) throws -> String {
            try outcome(jwt(changes: changes))
        }
        #expect(try changed { $0["sub"] = "https://issuer.example/status/10" } == "status.invalid")
        #expect(try changed { $0["sub"] = nil } == "status.invalid")
        #expect(try changed { $0["iat"] = nil } == "status.invalid")
        #expect(try changed { $0["iat"] = "2026-01-01" } == "status.invalid")
        #expect(try changed { $0["iat"] = .int(Int(now) + 59) } == "ok")
        #expect(try changed { $0["iat"] = .int(Int(now) + 120) } == "status.stale")
        #expect(try changed { $0["nbf"] = .int(Int(now) + 120) } == "status.stale")
        #expect(try changed { $0["exp"] = .int(Int(now) - 30) } == "ok")
        #expect(try changed { $0["exp"] = .int(Int(now) - 90) } == "status.stale")
        #expect(try changed { $0["exp"] = "never" } == "status.invalid")
        #expect(try changed { $0["exp"] = nil } == "ok")
        #expect(try changed { $0["ttl"] = 0 } == "status.invalid")
        #expect(try changed { $0["ttl"] = "60" } == "status.invalid")
        #expect(try changed { $0["ttl"] = nil } == "ok")
        #expect(try changed { $0["status_list"] = nil } == "status.invalid")
        for bits in [0, 3, 5, 16, -1, "2"] as [JSON] {
            #expect(try changed { $0["status_list"] = ["bits": bits, "lst": "eNpjAAAAAQAB"] } == "status.invalid")
        }
        for text in ["", "eNpjAAAAAQAB====", "H4sIAAAAAAAAA2NgAAAAAP__", "!"] as [JSON] {
            #expect(try changed { $0["status_list"] = ["bits": 1, "lst": text] } == "status.invalid")
        }
        let bomb = try Gzip.deflate([UInt8](repeating: 0, count: 17 << 20), container: .zlib)
        #expect(try changed { $0["status_list"] = ["bits": 1, "lst": .text(Base64.encode(bomb))] } == "status.invalid")
        let stream = try compressed() + [0]
        #expect(
            try changed { $0["status_list"] = ["bits": 2, "lst": .text(Base64.encode(stream))] } == "status.invalid")
    }

    /// `ttl` counts from the time at which a refresher fetched the list. If that time is unknown, `exp` alone counts.
    @Test func timeToLive() throws {
        func overdue(_ list: [UInt8], fetched ago: Int64?, decides: Bool = false) throws -> (String, Duration?) {
            var material = issuer.material
            material.listsFetched[url] = ago.map { Timestamp(seconds: now - $0) }
            var policy = VerificationPolicy()
            policy.decidesOnStatus = decides
            let check = TokenStatusCheck(
                verificationContext: try verificationContext(list, material, policy: policy),
                issuer: TrustedIssuer(id: issuer.id))
            var evidence = Evidence(CredentialSummary())
            do throws(Rejection) {
                try check.check(["status_list": ["idx": 42, "uri": .string(url)]], at: "/status", into: &evidence)
                return ("ok", evidence.status.first?.overdue)
            } catch { return (error.reason.code.text, nil) }
        }
        let sign: ([UInt8]) throws -> [UInt8] = { Array(try issuer.key.signature(for: $0)) }
        for list in [try jwt { $0["ttl"] = 600 }, try cwt(changes: { $0[65534] = .unsigned(600) }, sign: sign)] {
            #expect(try overdue(list, fetched: nil) == ("ok", nil))
            #expect(try overdue(list, fetched: 599) == ("ok", nil))
            #expect(try overdue(list, fetched: 660) == ("ok", nil), "within the skew")
            #expect(try overdue(list, fetched: 661) == ("status.stale", nil))
            #expect(try overdue(list, fetched: 700, decides: true) == ("ok", .seconds(100)))
        }
        // The earlier end counts, and an endless time does not overflow.
        let over = try jwt { ($0["ttl"], $0["exp"]) = (6000, .int(Int(now) - 90)) }
        #expect(try overdue(over, fetched: 1) == ("status.stale", nil))
        for forever in [.int(.max), try JSON.parse(Array("1e300".utf8))] as [JSON] {
            #expect(try overdue(jwt { $0["ttl"] = forever }, fetched: 3000) == ("ok", nil))
        }
        #expect(try overdue(jwt { $0["ttl"] = try? JSON.parse(Array("0.5".utf8)) }, fetched: 62).0 == "status.stale")
        #expect(try overdue(jwt { $0["ttl"] = .null }, fetched: 3000) == ("ok", nil))
        #expect(try overdue(jwt { $0["ttl"] = -1 }, fetched: nil).0 == "status.invalid")
    }

    /// The dates in a stored list are reported without a check of its signature, so they may have any value.
    @Test func statedTimeToLive() throws {
        for lifetime in ["-1e300", "-1", "1e400", "1e-400", "9223372036854775808", "60"] {
            let list = try jwt { $0["ttl"] = .number(JSONNumber(validated: lifetime)) }
            let fetched = TestIssuer.clock.utc
            let dates = StatedListDates(limits: Limits(), profile: .strict, fetched: fetched).read(list)
            #expect(dates?.until.map { $0 <= Timestamp(seconds: now + 3600) } ?? false, "\(lifetime)")
        }
    }

    /// The signers that a stored list names, in each form.
    @Test func statedSigners() throws {
        func ids(_ list: [UInt8], _ roots: CertificateRoots = .init()) -> [Text] {
            StatedListSigner(list, roots: roots).ids
        }
        let sign: ([UInt8]) throws -> [UInt8] = { Array(try issuer.key.signature(for: $0)) }
        #expect(ids(try issuer.statusList(url: url)) == [issuer.id])
        #expect(ids(try jwt { $0["iss"] = "https://a.example" }) == ["https://a.example"])
        #expect(ids(try jwt()) == [issuer.id], "by the name of its key")
        #expect(ids(try cwt(changes: { $0[1] = .text("https://a.example") }, sign: sign)) == ["https://a.example"])
        #expect(ids(try cwt(sign: sign)) == [issuer.id])
        let root = try TestPKI.root()
        let leaf = try TestPKI.issue(TestPKI.Template.signer(), by: root)
        let (roots, id) = (try TestPKI.roots(root), TrustedIssuer.id(ofRoot: try root.der))
        let chain: JSON = [.text(Base64.encode(try leaf.der, .standard))]
        #expect(ids(try jwt(header: ["kid": nil, "x5c": chain]), roots) == [id])
        #expect(ids(try cwt(header: [Self.pair(33, .bytes(try leaf.der[...]))], sign: sign), roots) == [id])
        for junk in ["", "{", "{}", "e", "ey.ey.ey", "\u{81}"] { #expect(ids(Array(junk.utf8), roots).isEmpty) }
    }

    @Test func headers() throws {
        func with(_ header: JSONObject) throws -> String { try outcome(jwt(header: header)) }
        for type in ["statuslist+jwt", "application/statuslist+jwt", "STATUSLIST+JWT"] as [JSON] {
            #expect(try with(["typ": type]) == "ok")
        }
        for type in ["JWT", "statuslist+cwt", "vc+jwt", .null, 1] as [JSON] {
            #expect(try with(["typ": type]) == "status.invalid")
        }
        #expect(try with(["alg": "none"]) == "status.invalid")
        #expect(try with(["alg": "HS256"]) == "status.invalid")
        #expect(try with(["alg": "ES256"]) == "status.invalid")
        #expect(try with(["kid": .null]) == "ok", "the only key of a did:key")
        #expect(try with(["kid": "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp#x"]) == "status.invalid")
        #expect(try with(["crit": ["exp"]]) == "status.invalid")
        #expect(try outcome(jwt() + Array("\n".utf8)) == "ok")
        #expect(try outcome(Array(jwt().dropLast())) == "status.invalid")
    }

    /// Only the issuer, or a signer in the issuer's entry, may sign. A token that names an issuer must name one of
    /// these.
    @Test func signers() throws {
        let other = try TestIssuer(seed: 8)
        let foreign = try jwt(by: other)
        #expect(try outcome(foreign) == "status.invalid")
        var entry = TrustedIssuer(id: issuer.id)
        entry.statusIssuers = [other.id]
        #expect(try outcome(foreign, of: entry) == "ok")
        #expect(try outcome(jwt(), of: entry) == "ok")
        #expect(try outcome(jwt(by: other) { $0["iss"] = .string(other.id) }, of: entry) == "ok")
        #expect(try outcome(jwt(by: other) { $0["iss"] = .string(issuer.id) }, of: entry) == "status.invalid")
        #expect(try outcome(jwt { $0["iss"] = .string(issuer.id) }) == "ok")
        #expect(try outcome(jwt { $0["iss"] = .string(other.id) }) == "status.invalid")
        #expect(try outcome(jwt { $0["iss"] = 7 }) == "status.invalid")
        // If the trust list has an entry for the signer of lists, that entry must be valid at that date.
        var material = issuer.material
        material.issuers.append(TrustedIssuer(id: other.id))
        #expect(try outcome(foreign, of: entry, material) == "ok")
        material.issuers[1].notAfter = Timestamp(seconds: now - 1)
        #expect(try outcome(foreign, of: entry, material) == "status.invalid")
        // A list of the right issuer but of the wrong format: a bitstring list in place of a token.
        #expect(try outcome(issuer.statusList(url: url)) == "status.invalid")
    }

    /// A list whose name is not its URL, as the operator's entry allows.
    @Test func aliases() throws {
        var entry = TrustedIssuer(id: issuer.id)
        let moved = try jwt { $0["sub"] = "https://old.example/status/1" }
        #expect(try outcome(moved, of: entry) == "status.invalid")
        entry.statusListAliases[url] = "https://old.example/status/1"
        #expect(try outcome(moved, of: entry) == "ok")
        #expect(try outcome(jwt(), of: entry) == "ok")
    }

    /// The keys of an entry are also the only ones for its lists, whatever a certificate states.
    @Test(arguments: [false, true]) func keysOfTheEntry(isNamed: Bool) throws {
        let root = try TestPKI.root()
        let id: Text = "https://issuer.example"
        let (own, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        func outcome(by key: P256.Signing.PrivateKey, names: [GeneralName]) throws -> String {
            var template = try TestPKI.Template.signer()
            (template.key, template.names) = (Certificate.PrivateKey(key), names)
            let chain = [Self.pair(33, .bytes(try TestPKI.issue(template, by: root).der[...]))]
            let list = try cwt(
                algorithm: -7, header: chain, changes: { if isNamed { $0[1] = .text(id) } },
                sign: { Array(try key.signature(for: $0).rawRepresentation) })
            var material = issuer.material
            material.roots = [TestPKI.pem(try root.der)]
            var entry = TrustedIssuer(id: id)
            entry.roots = [TrustedIssuer.id(ofRoot: try root.der)]
            let pinned = PublicKey.ellipticCurve(.p256, point: Array(own.publicKey.x963Representation))
            entry.keys = [try #require(KeyFingerprint(pinned))]
            material.issuers = [entry]
            return try self.outcome(list, of: entry, material)
        }
        #expect(try outcome(by: own, names: [.uniformResourceIdentifier("https://other.example")]) == "ok")
        #expect(try outcome(by: other, names: []) == "status.invalid")
        #expect(try outcome(by: other, names: [.uniformResourceIdentifier(id.string)]) == "status.invalid")
    }

    /// Both forms find their key by the same names. An issuer's key may be published as a document of its own.
    @Test(arguments: [false, true]) func namesOfKeys(isSingleKey: Bool) throws {
        let id: Text = "https://issuer.example"
        let (inner, single) = (Text(id.string + "#k1"), Text(id.string + "/k1"))
        let method: JSON = [
            "id": .string(isSingleKey ? single : inner), "type": "Multikey", "controller": .string(id),
            "publicKeyMultibase": .text(
                Multibase.encodeBase58([0xED, 0x01] + issuer.key.publicKey.rawRepresentation)),
        ]
        let document: JSON = isSingleKey ? method : ["id": .string(id), "assertionMethod": [method]]
        let entry = TrustedIssuer(id: id)
        let material = TrustMaterial(issuers: [entry], documents: [document.compactBytes])
        let names: [Text: Bool] =
            isSingleKey
            ? [single: true, id: true, "#k1": false, "k1": false, "k2": false]
            : [inner: true, id: true, "#k1": true, "k1": true, "#k2": false, "k2": false, single: false]
        let sign: ([UInt8]) throws -> [UInt8] = { Array(try issuer.key.signature(for: $0)) }
        for (name, isKnown) in names {
            let wanted = isKnown ? "ok" : "status.invalid"
            let named = [Self.pair(4, .bytes(Array(name.utf8)[...]))]
            #expect(try outcome(jwt(header: ["kid": .string(name)]), of: entry, material) == wanted, "\(name)")
            #expect(try outcome(cwt(header: named, sign: sign), of: entry, material) == wanted, "\(name)")
        }
        #expect(try outcome(jwt(header: ["kid": nil]), of: entry, material) == "ok")
        #expect(try outcome(cwt(header: [], sign: sign), of: entry, material) == "ok")
        let unreadable = [Self.pair(4, .bytes([0xFF, 0xFE]))]
        #expect(try outcome(cwt(header: unreadable, sign: sign), of: entry, material) == "status.invalid")
    }

    @Test func cwtForm() throws {
        let sign: ([UInt8]) throws -> [UInt8] = { Array(try issuer.key.signature(for: $0)) }
        #expect(try outcome(cwt(set: [41: 3, 43: 3], sign: sign)) == "ok")
        #expect(try outcome(cwt(set: [42: 1], sign: sign)) == "status.revoked")
        #expect(try outcome(cwt(set: [42: 2], sign: sign)) == "status.suspended")
        #expect(try outcome(cwt(tags: [18, 61], sign: sign)) == "ok")
        #expect(try outcome(cwt(header: [], sign: sign)) == "ok", "the only key of a did:key")
        #expect(try outcome(cwt(tags: [], sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(tags: [17], sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(type: nil, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(type: "application/cwt", sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(typeIsProtected: false, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(algorithm: -7, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(sign: { $0.count > 0 ? [UInt8](repeating: 1, count: 64) : [] })) == "status.invalid")
        #expect(
            try outcome(cwt(changes: { $0[2] = .text("https://issuer.example/status/2") }, sign: sign))
                == "status.invalid")
        #expect(try outcome(cwt(changes: { $0[6] = nil }, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(changes: { $0[4] = .unsigned(UInt64(now - 90)) }, sign: sign)) == "status.stale")
        #expect(try outcome(cwt(changes: { $0[5] = .unsigned(UInt64(now + 90)) }, sign: sign)) == "status.stale")
        #expect(try outcome(cwt(changes: { $0[4] = .float(Double(now) + 0.5) }, sign: sign)) == "ok")
        #expect(try outcome(cwt(changes: { $0[4] = .float(.infinity) }, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(changes: { $0[65534] = .unsigned(0) }, sign: sign)) == "status.invalid")
        #expect(try outcome(cwt(changes: { $0[1] = .text(issuer.id) }, sign: sign)) == "ok")
        #expect(try outcome(cwt(changes: { $0[1] = .text("did:example:x") }, sign: sign)) == "status.invalid")
        #expect(try outcome(Array(cwt(sign: sign).dropLast())) == "status.invalid")
        let other = try TestIssuer(seed: 8)
        #expect(try outcome(cwt(sign: { Array(try other.key.signature(for: $0)) })) == "status.invalid")
    }

    /// The issuer of an mdoc is the root of its signer. A list for the mdoc must be signed below the same root.
    @Test func listsOfMdocs() throws {
        let (root, stranger) = (try TestPKI.root(), try TestPKI.root("Other"))
        let key = P256.Signing.PrivateKey()
        func chain(below root: TestPKI.Member) throws -> [CBOR.Pair] {
            var template = try TestPKI.Template.signer()
            template.key = Certificate.PrivateKey(key)
            template.names = [.dnsName("status.example")]
            return [Self.pair(33, .bytes(try TestPKI.issue(template, by: root).der[...]))]
        }
        func outcome(below signer: TestPKI.Member, set: [Int: UInt8] = [:], named: Text? = nil) throws -> String {
            let list = try cwt(
                set: set, algorithm: -7, header: chain(below: signer), changes: { $0[1] = named.map { .text($0) } },
                sign: { Array(try key.signature(for: $0).rawRepresentation) })
            var material = issuer.material
            material.roots = [TestPKI.pem(try root.der), TestPKI.pem(try stranger.der)]
            let entry = CBOR(
                .map([
                    CBOR.Pair(
                        CBOR(.text("status_list")),
                        CBOR(
                            .map([
                                CBOR.Pair(CBOR(.text("idx")), CBOR(.unsigned(42))),
                                CBOR.Pair(CBOR(.text("uri")), CBOR(.text(url))),
                            ])))
                ]))
            let check = TokenStatusCheck(
                verificationContext: try verificationContext(list, material),
                issuer: TrustedIssuer(id: TrustedIssuer.id(ofRoot: try root.der)))
            var evidence = Evidence(CredentialSummary())
            do throws(Rejection) {
                try check.check(entry, at: "/status", into: &evidence)
                return "ok"
            } catch { return error.reason.code.text }
        }
        #expect(try outcome(below: root) == "ok")
        #expect(try outcome(below: root, set: [42: 1]) == "status.revoked")
        #expect(try outcome(below: root, named: "https://status.example") == "ok")
        #expect(try outcome(below: stranger) == "status.invalid")
        #expect(try outcome(below: TestPKI.root("Unpinned")) == "status.invalid")
    }

    /// The verification of a whole mdoc finds its status in a list that is signed below the mdoc's own root.
    @Test func mdocsWithStatus() throws {
        let issuer = try TestMdoc.Issuer()
        let clock = TestMdoc.clock.utc.seconds
        func list(set: [Int: UInt8] = [:]) throws -> [UInt8] {
            try cwt(
                set: set, algorithm: -7, header: [Self.pair(33, .bytes(try issuer.signer.der[...]))],
                changes: {
                    $0[6] = .unsigned(UInt64(clock - 60))
                    $0[4] = .unsigned(UInt64(clock + 60))
                }, sign: issuer.sign)
        }
        func verdict(_ list: [UInt8]?, status: CBOR? = nil) throws -> Verdict {
            var mdoc = try TestMdoc(issuer)
            let entry: CBOR = ["status_list": ["idx": 42, "uri": CBOR(.text(url))]]
            mdoc.object = mdoc.object.with("status", status ?? entry)
            var material = try issuer.material
            if let list { material.statusLists[url] = list }
            let verifier = Credentials.Verifier(trust: try TrustStore(material))
            return verifier.verify(try mdoc.letters(), claimed: .mdoc, at: TestMdoc.clock)
        }
        #expect(try verdict(list(set: [41: 1, 43: 1])).code == .ok)
        let revoked = try verdict(list(set: [42: 1]))
        #expect(revoked.code == .statusRevoked)
        #expect(revoked.reasons[0].pointer == "/issuerSigned/issuerAuth/status/status_list")
        #expect(try verdict(nil).code == .statusUnavailable)
        #expect(try verdict(list(), status: ["identifier_list": ["id": 1]]).code == .statusUnavailable)
        #expect(
            try verdict(list(), status: ["status_list": ["idx": -1, "uri": CBOR(.text(url))]]).code == .shapeStatus)
        #expect(try verdict(list(), status: "x").code == .shapeStatus)
    }

    /// If the gate's rules decide, age and absence are only reported. The issuer's statement is still checked.
    @Test func answersForRules() throws {
        var policy = VerificationPolicy()
        policy.decidesOnStatus = true
        func answers(_ list: [UInt8]?, index: Int = 42) throws -> (String, [StatusAnswer]) {
            let check = TokenStatusCheck(
                verificationContext: try verificationContext(list, policy: policy), issuer: TrustedIssuer(id: issuer.id)
            )
            var evidence = Evidence(CredentialSummary())
            do throws(Rejection) {
                try check.check(
                    ["status_list": ["idx": .int(index), "uri": .string(url)]], at: "/status", into: &evidence)
                return ("ok", evidence.status)
            } catch { return (error.reason.code.text, evidence.status) }
        }
        let fresh = try answers(jwt())
        let place = "/status/status_list"
        #expect(fresh.0 == "ok")
        #expect(
            fresh.1
                == ["revocation", "suspension"].map {
                    StatusAnswer(.valid, purpose: $0, pointer: place, age: .seconds(3600))
                })
        #expect(try answers(jwt(bits: 1)).1.map(\.purpose) == ["revocation"])
        let stale = try answers(jwt { $0["exp"] = .int(Int(now) - 600) })
        #expect(stale.0 == "ok" && stale.1.map(\.overdue) == [.seconds(600), .seconds(600)])
        let staleAndRevoked = try answers(jwt(set: [42: 1]) { $0["exp"] = .int(Int(now) - 600) })
        #expect(staleAndRevoked.0 == "status.revoked" && staleAndRevoked.1.map(\.value) == [.revoked])
        let absent = try answers(nil)
        #expect(absent.0 == "ok" && absent.1 == [StatusAnswer(.unknown, purpose: "revocation", pointer: place)])
        // Errors that are refused even under a policy that accepts stale and absent lists.
        #expect(try answers(jwt { $0["iat"] = .int(Int(now) + 600) }).0 == "status.stale")
        #expect(try answers(jwt(by: TestIssuer(seed: 8)) { $0["exp"] = .int(Int(now) - 600) }).0 == "status.invalid")
        #expect(try answers(jwt(), index: 99_999).0 == "status.invalid")
    }
}
