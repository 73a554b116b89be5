import Encoding
import Reasons
import Testing

@testable import Credentials

/// SD-JWT: disclosures (RFC 9901 section 7.1), the claims of SD-JWT VC, formats.
@Suite struct SDJWTTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private let name = Disclose.member("given_name", "Asha")
    private let zone = Disclose.element("north")

    /// Returns the verdict on an SD-JWT VC whose `_sd` lists these disclosures, which are all presented.
    private func verify(
        _ disclosures: [String], profile: Profile = .strict, changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> Verdict {
        try forge.verify(
            forge.sdJWT(disclosures) {
                $0["_sd"] = Disclose.digests(disclosures)
                changes(&$0)
            }, profile: profile)
    }

    private func code(_ disclosures: [String], changes: (inout JSONObject) -> Void = { _ in }) throws -> ReasonCode {
        try verify(disclosures, changes: changes).code
    }

    // MARK: disclosures

    @Test func accepted() throws {
        let verdict = try verify([name])
        #expect(verdict.code == .ok && verdict.credential.format == .dcSDJWT)
        #expect(verdict.credential.types == ["https://credentials.example/employee-pass"])
        let token = try forge.sdJWT([name, zone]) {
            $0["_sd"] = [Disclose.digest(name), "decoy"]
            $0["zones"] = [["...": Disclose.digest(zone)], ["...": "decoy 2"], "south"]
        }
        let claims = try forge.processed(token)
        #expect(claims?["given_name"] == "Asha" && claims?["zones"] == ["north", "south"])
        #expect(claims?["_sd"] == nil && claims?["_sd_alg"] == nil)
    }

    /// If no expiry is shown, the holder may have withheld it.
    @Test func theExpiryMayNotBeWithheld() throws {
        func code(_ withheld: Bool, _ nested: Bool = false, allowed: Bool = false, exp: Bool = false) throws
            -> ReasonCode
        {
            let token = try forge.sdJWT(withheld || nested ? [] : [name]) {
                if nested {
                    $0["address"] = ["_sd": [Disclose.digest(name)]]
                } else {
                    $0["_sd"] = [Disclose.digest(name)]
                }
                if !exp { $0["exp"] = nil }
            }
            var material = forge.material
            material.issuers[0].mayWithholdExpiry = allowed
            return try forge.verify(token, material: material).code
        }
        #expect(try code(true) == .shapeDates)
        #expect(try code(true, allowed: true) == .ok)
        #expect(try code(true, exp: true) == .ok)
        #expect(try code(false) == .ok, "all is shown, so none is withheld")
        #expect(try code(false, true) == .ok, "what is withheld within a claim is no expiry")
        let expiry = Disclose.member("exp", 1_780_000_000)
        let token = try forge.sdJWT([]) {
            $0["exp"] = nil; $0["_sd"] = [Disclose.digest(expiry)]
        }
        #expect(try forge.verify(token).code == .shapeDates, "the case that it is for")
    }

    /// A start must be shown, too. Otherwise a holder could hide it and be admitted too early.
    @Test func theStartMayNotBeWithheld() throws {
        let start = Disclose.member("nbf", 1_799_000_000)
        func code(allowed: Bool = false, hidden: Bool = true, _ changes: (inout JSONObject) -> Void) throws
            -> ReasonCode
        {
            let token = try forge.sdJWT([]) {
                ($0["nbf"], $0["iat"]) = (nil, nil)
                if hidden { $0["_sd"] = [Disclose.digest(start)] }
                changes(&$0)
            }
            var material = forge.material
            material.issuers[0].mayWithholdExpiry = allowed
            return try forge.verify(token, material: material).code
        }
        #expect(try code { _ in } == .shapeDates, "the case that it is for")
        #expect(try code(allowed: true) { _ in } == .ok)
        #expect(try code(hidden: false) { _ in } == .ok, "all is shown, so none is withheld")
        #expect(try code { $0["nbf"] = 1_767_600_000 } == .ok)
        #expect(try code { $0["iat"] = 1_767_600_000 } == .ok, "most SD-JWTs state no other start")
        // A credential of VCDM 2.0 has a start of its own, which the holder must show.
        let from = Disclose.member("validFrom", "2027-01-01T00:00:00Z")
        let hiding = try vcdm {
            ($0["validFrom"], $0["iat"]) = (nil, 1_767_600_000)
            $0["_sd"] = [Disclose.digest(from)]
        }
        #expect(hiding.code == .shapeDates && hiding.reasons.first?.pointer == "/validFrom")
        #expect(hiding.reasons.first?.detail?.word == "withheld")
    }

    /// A status must be shown, too, if the gate stores lists of the issuer.
    @Test func theStatusMayNotBeWithheld() throws {
        func verdict(shown: Bool = false, lists: [Text], allowed: Bool = false) throws -> Verdict {
            let token = try forge.sdJWT(shown ? [name] : []) { $0["_sd"] = [Disclose.digest(name)] }
            var material = forge.material
            material.issuers[0].statusLists = lists
            material.issuers[0].mayWithholdStatus = allowed
            return try forge.verify(token, material: material)
        }
        let kept: [Text] = ["https://issuer.example/status/1"]
        let refused = try verdict(lists: kept)
        #expect(refused.code == .statusUnavailable && refused.reasons.first?.detail?.word == "withheld")
        #expect(try verdict(lists: kept, allowed: true).code == .ok)
        #expect(try verdict(shown: true, lists: kept).code == .ok, "all is shown, so none is withheld")
        #expect(try verdict(lists: []).code == .ok, "nothing says that its credentials have a status")
    }

    /// A stored list may lack its issuer's name. The key that signed the list then identifies the issuer.
    @Test func theStatusMayNotBeWithheldFromUnnamedLists() throws {
        let url: Text = "https://issuer.example/tokens/1"
        let claims: JSONObject = [
            "sub": .string(url), "iat": 1_795_262_000, "status_list": ["bits": 1, "lst": "eNoDAAAAAAE"],
        ]
        func code(signedBy signer: TokenForge, kid: JSON?, controllers: [Text] = []) throws -> ReasonCode {
            var material = forge.material
            material.issuers[0].controllers = controllers
            let list = try signer.sign(signer.header("statuslist+jwt").with("kid", kid), claims)
            material.statusLists[url] = Array(list.utf8)
            return try forge.verify(
                forge.sdJWT([]) { $0["_sd"] = [Disclose.digest(name)] }, material: material
            ).code
        }
        let other = try TokenForge(seed: 90)
        let fragment = try #require(forge.method.string.split(separator: "#").last.map { Text(String($0)) })
        for kid in [nil, .string(forge.method), .string(fragment), .text("#\(fragment)")] as [JSON?] {
            #expect(try code(signedBy: forge, kid: kid) == .statusUnavailable, "\(kid ?? .null)")
        }
        #expect(try code(signedBy: other, kid: .string(other.method)) == .ok)
        #expect(try code(signedBy: other, kid: nil) == .ok, "a list of another issuer")
        #expect(try code(signedBy: other, kid: .string(other.method), controllers: [other.id]) == .statusUnavailable)
    }

    /// A credential that may have been signed after its key was retired does not count.
    @Test func whenItWasSignedMayNotBeWithheld() throws {
        let signed = Disclose.member("iat", 1_780_000_000)
        func code(_ shown: [String], _ changes: (inout JSONObject) -> Void) throws -> ReasonCode {
            var material = forge.material
            material.revokedKeys = [
                RevokedKey(.method(forge.method), since: Timestamp(seconds: 1_770_000_000), reason: .retired)
            ]
            return try forge.verify(forge.sdJWT(shown, changes: changes), material: material).code
        }
        let hidden: (inout JSONObject) -> Void = { [name] in
            ($0["iat"], $0["_sd"]) = (nil, Disclose.digests([signed, name]))
        }
        #expect(try code([signed, name], hidden) == .keyRevoked)
        #expect(try code([], hidden) == .keyRevoked && code([name], hidden) == .keyRevoked)
        let shown: (inout JSONObject) -> Void = { [name] in $0["_sd"] = [Disclose.digest(name)] }
        #expect(try code([], shown) == .ok)
    }

    /// If a part of the status is withheld, the status counts as withheld, whatever else is shown.
    @Test func noPartOfTheStatusMayBeWithheld() throws {
        func entry(_ index: Int) -> JSON {
            [
                "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": .int(index),
                "statusListCredential": "https://issuer.example/status/1",
            ]
        }
        let entries = [1, 2].map { Disclose.element(entry($0), salt: Text("salt \($0)")) }
        let lister = try TestIssuer(seed: 7)
        func verdict(_ shown: [String], allowed: Bool = false, _ changes: (inout JSONObject) -> Void) throws -> Verdict
        {
            var material = forge.material
            material.issuers[0].statusIssuers = [lister.id]
            material.contexts = lister.material.contexts
            material.issuers[0].mayWithholdStatus = allowed
            let url: Text = "https://issuer.example/status/1"
            material.statusLists[url] = try lister.statusList(url: url) { $0["validUntil"] = nil }
            return try vcdm(shown, material: material, changes: changes)
        }
        let both: (inout JSONObject) -> Void = {
            $0["credentialStatus"] = .array(entries.map { ["...": Disclose.digest($0)] })
        }
        for shown in [[], [entries[0]], [entries[1]]] {
            let refused = try verdict(shown, both)
            #expect(refused.code == .statusUnavailable && refused.reasons.first?.detail?.word == "withheld")
            #expect(refused.reasons.first?.pointer == "/credentialStatus")
        }
        #expect(try verdict(entries, both).code == .ok)
        #expect(try verdict([entries[0]], allowed: true, both).code == .ok)
        // A present member cannot be hidden a second time. Other claims may be hidden.
        #expect(
            try verdict([]) {
                $0["credentialStatus"] = entry(1)
                $0["_sd"] = [Disclose.digest(name)]
            }.code == .ok)
        let whole = Disclose.member("credentialStatus", entry(1))
        let hidden: (inout JSONObject) -> Void = { $0["_sd"] = Disclose.digests([whole, name]) }
        #expect(try verdict([whole, name], hidden).code == .ok)
        #expect(try verdict([name], hidden).code == .statusUnavailable)
        // A status that the holder chose to show proves nothing about a status that he withholds.
        #expect(try verdict([whole], hidden).code == .statusUnavailable)
        #expect(try verdict([whole], allowed: true, hidden).code == .ok)
    }

    /// A date that the holder chose to show is no limit while he withholds members: a withheld member may be an earlier
    /// end.
    @Test func aDateThatIsShownByChoiceHidesNoOther() throws {
        let late = Disclose.member("validUntil", "2030-01-01T00:00:00Z")
        let early = Disclose.member("validUntil", "2026-01-01T00:00:00Z", salt: "early")
        func verdict(_ shown: [String], _ changes: @escaping (inout JSONObject) -> Void) throws -> Verdict {
            try forge.verify(forge.sdJWT(shown) { changes(&$0) })
        }
        let noClearEnd: (inout JSONObject) -> Void = {
            $0["exp"] = nil; $0["_sd"] = Disclose.digests([late, name])
        }
        #expect(try verdict([late, name], noClearEnd).code == .ok)
        let hiding = try verdict([late], noClearEnd)
        #expect(hiding.code == .shapeDates && hiding.reasons.first?.detail?.word == "withheld")
        // An end in clear applies to every presentation.
        #expect(try verdict([]) { $0["_sd"] = Disclose.digests([early, name]) }.code == .ok)
        // For VCDM 2.0 the members of its own data model apply.
        let start = Disclose.member("validFrom", "2026-01-01T00:00:00Z")
        let vcdmHiding: (inout JSONObject) -> Void = {
            $0["validFrom"] = nil; $0["_sd"] = Disclose.digests([start, name])
        }
        #expect(try vcdm([start, name], changes: vcdmHiding).code == .ok)
        #expect(try vcdm([start], changes: vcdmHiding).code == .shapeDates)
    }

    /// Lists also count by their signer, because the operator may have stored them without a line in the issuer's
    /// entry.
    @Test func storedListsSayThatThereIsAStatus() throws {
        let url: Text = "https://issuer.example/status/1"
        let (lister, stranger) = (try TestIssuer(seed: 7), try TestIssuer(seed: 8))
        func code(_ signer: TestIssuer, issuers: [Text]) throws -> ReasonCode {
            let token = try forge.sdJWT([]) { $0["_sd"] = [Disclose.digest(name)] }
            var material = forge.material
            material.issuers[0].statusIssuers = issuers
            material.statusLists[url] = try signer.statusList(url: url)
            return try forge.verify(token, material: material).code
        }
        #expect(try code(lister, issuers: [lister.id]) == .statusUnavailable)
        #expect(try code(stranger, issuers: [lister.id]) == .ok, "somebody else's list")
        #expect(try code(lister, issuers: []) == .ok)
    }

    @Test(arguments: [
        "", "!", "W10=", "W10", Disclose.text("x"), Disclose.text([]), Disclose.text(["salt"]),
        Disclose.text(["salt", "name", 1, 2]), Disclose.text([1, "name", "value"]),
        Disclose.text(["salt", 1, "value"]),
        Disclose.text([nil, "name", "value"]), Disclose.text(["salt": "name"]),
        Base64.encode(Array("[\"s\",\"n\",1".utf8)),
        Base64.encode(Array("[\"s\",\"n\",{\"a\":1,\"a\":2}]".utf8)), Base64.encode([0xFF, 0xFE]),
        Base64.encode(Array("[\"s\",\"n\",1] ".utf8)) + "=", Base64.encode(Array("[\"s\",\"n\",1]x".utf8)),
    ]) func malformed(disclosure: String) throws {
        #expect(try code([disclosure]) == .disclosureMalformed)
    }

    /// A disclosure is hashed as received, so the issuer may use any spaces and escapes.
    @Test func textIsHashedAsReceived() throws {
        let spaced = Base64.encode(Array("[\"s\", \"n\\u0061me\" ,\t{\"a\": 1 } ]".utf8))
        #expect(try code([spaced]) == .ok)
        #expect(
            try forge.processed(forge.sdJWT([spaced]) { $0["_sd"] = Disclose.digests([spaced]) })?["name"] == ["a": 1])
    }

    @Test(arguments: ["_sd", "...", "vct", "iss", "_sd_alg", "zones"] as [Text]) func names(_ name: Text) throws {
        #expect(
            try code([Disclose.member(name, "x")]) {
                $0["zones"] = ["north"]; $0["_sd_alg"] = "sha-256"
            } == .disclosureName)
    }

    @Test func sameNameTwice() throws {
        #expect(try code([Disclose.member("a", 1, salt: "1"), Disclose.member("a", 2, salt: "2")]) == .disclosureName)
        // In two different objects it is allowed.
        let inner = Disclose.member("a", 1, salt: "1")
        #expect(try code([Disclose.member("a", ["_sd": [Disclose.digest(inner)]])], inner: inner) == .ok)
    }

    private func code(_ outer: [String], inner: String) throws -> ReasonCode {
        try forge.verify(forge.sdJWT(outer + [inner]) { $0["_sd"] = Disclose.digests(outer) }).code
    }

    /// The members for validity, the holder's key, the integrity of the type and the status may not be
    /// disclosable.
    @Test(arguments: ["nbf", "exp", "cnf", "vct#integrity", "status"] as [Text]) func neverDisclosed(_ name: Text)
        throws
    {
        let value: JSON = name == "cnf" || name == "status" ? [:] : 1_790_000_000
        let disclosure = Disclose.member(name, value)
        #expect(try code([disclosure]) { $0[name] = nil } == .disclosureName)
        #expect(try code([Disclose.member("x", [name: value])]) == .ok)
    }

    @Test func issuerAndTypeNeverDisclosed() throws {
        #expect(try code([Disclose.member("iss", .string(forge.id))]) { $0["iss"] = nil } == .shapeIssuer)
        #expect(try code([Disclose.member("vct", "x")]) { $0["vct"] = nil } == .shapeType)
    }

    @Test func duplicates() throws {
        #expect(
            try forge.verify(forge.sdJWT([name, name]) { $0["_sd"] = Disclose.digests([name]) }).code
                == .disclosureDuplicate)
        // A digest that occurs twice, used or not, at any depth.
        #expect(try code([name]) { $0["_sd"] = Disclose.digests([name, name]) } == .disclosureDuplicate)
        #expect(try code([]) { $0["_sd"] = ["decoy", "decoy"] } == .disclosureDuplicate)
        #expect(
            try code([]) {
                $0["_sd"] = ["decoy"]; $0["a"] = ["_sd": ["decoy"]]
            } == .disclosureDuplicate)
        #expect(
            try code([]) {
                $0["_sd"] = ["decoy"]; $0["a"] = [["...": "decoy"]]
            } == .disclosureDuplicate)
        #expect(
            try code([Disclose.member("a", ["_sd": ["decoy"]])]) { $0["b"] = ["_sd": ["decoy"]] }
                == .disclosureDuplicate)
        // A disclosure that the holder withholds is not examined.
        let hidden = Disclose.member("a", ["_sd": ["decoy"]])
        #expect(
            try code([]) {
                $0["_sd"] = [Disclose.digest(hidden)]; $0["b"] = ["_sd": ["decoy"]]
            } == .ok)
    }

    @Test func unreferenced() throws {
        #expect(try forge.verify(forge.sdJWT([name])).code == .disclosureUnreferenced)
        let inner = Disclose.member("street", "Main 1")
        let outer = Disclose.member("address", ["_sd": [Disclose.digest(inner)]])
        #expect(try code([outer], inner: inner) == .ok)
        let alone = try forge.sdJWT([inner]) { $0["_sd"] = Disclose.digests([outer]) }
        #expect(try forge.verify(alone).code == .disclosureUnreferenced)
        // A digest at a place without a meaning refers to nothing.
        #expect(
            try forge.verify(forge.sdJWT([name]) { $0["x"] = Disclose.digest(name) }).code == .disclosureUnreferenced)
        // The same holds for a digest with another hash, or over the decoded text.
        #expect(
            try forge.verify(forge.sdJWT([name]) { $0["_sd"] = [Disclose.digest(name, .sha512)] }).code
                == .disclosureUnreferenced)
    }

    @Test func wrongKind() throws {
        #expect(try code([zone]) == .disclosureMalformed)
        let token = try forge.sdJWT([name]) { $0["zones"] = [["...": Disclose.digest(name)]] }
        #expect(try forge.verify(token).code == .disclosureMalformed)
    }

    @Test(
        arguments: [
            "x", 1, nil, [:], [1], [nil], [["x"]],
        ] as [JSON]) func digestList(_ value: JSON) throws
    {
        #expect(try code([]) { $0["_sd"] = value } == .disclosureMalformed)
        #expect(try code([]) { $0["a"] = ["b": [["_sd": value]]] } == .disclosureMalformed)
    }

    @Test func arrayElements() throws {
        for wrong in [["...": 1], ["...": nil], ["...": "d", "x": 1], ["...": ["d"]]] as [JSON] {
            #expect(try code([]) { $0["zones"] = [wrong] } == .disclosureMalformed)
        }
        for wrong in [["...": "d"], ["a": ["...": "d"]]] as [JSON] {
            #expect(try code([]) { $0["a"] = wrong } == .disclosureMalformed)
        }
        #expect(try code([]) { $0["..."] = "d" } == .disclosureMalformed)
        #expect(try code([Disclose.member("a", ["...": "d"])]) == .disclosureMalformed)
        // Arrays in arrays.
        let token = try forge.sdJWT([zone]) { $0["zones"] = [[["...": Disclose.digest(zone)], ["...": "d"]], []] }
        #expect(try forge.processed(token)?["zones"] == [["north"], []])
    }

    @Test func emptyList() throws {
        #expect(
            try forge.processed(
                forge.sdJWT {
                    $0["_sd"] = []; $0["a"] = ["_sd": []]
                })?["a"] == [:])
    }

    @Test func hashes() throws {
        for hash in [DisclosureHash.sha256, .sha384, .sha512] {
            let token = try forge.sdJWT([name]) {
                $0["_sd"] = [Disclose.digest(name, hash)]
                $0["_sd_alg"] = .string(hash.rawValue)
            }
            #expect(try forge.verify(token).code == .ok)
        }
        for wrong in ["SHA-256", "sha-1", "md5", "sha256", "", 1, nil, ["sha-256"]] as [JSON] {
            #expect(try code([name]) { $0["_sd_alg"] = wrong } == .proofAlgorithm)
        }
        // `_sd_alg` selects a hash only at the top level.
        #expect(try code([name]) { $0["a"] = ["_sd_alg": "md5"] } == .ok)
    }

    @Test func signatureComesFirst() throws {
        let token = try forge.sdJWT([name])
        #expect(try forge.verify(token.replacing(".", with: ".A", maxReplacements: 1), claimed: .dcSDJWT).code != .ok)
        let parts = token.split(separator: ".", maxSplits: 1)
        let other = try forge.sdJWT { $0["_sd"] = Disclose.digests([name]) }.split(separator: ".")
        let forged = parts[0] + "." + other[1] + "." + parts[1].split(separator: ".")[1]
        #expect(try forge.verify(String(forged)).code == .proofInvalid)
    }

    // MARK: claims of SD-JWT VC

    @Test(
        arguments: [
            ("iss", nil as JSON, ReasonCode.shapeIssuer), ("iss", 5, .shapeIssuer), ("iss", "", .shapeIssuer),
            ("iss", ["id": "x"], .shapeIssuer), ("vct", nil, .shapeType), ("vct", 5, .shapeType),
            ("vct", "", .shapeType), ("vct", "bad uri:%zz x", .shapeType),
            ("vct", ["x"], .shapeType), ("exp", "1799136000", .shapeDates), ("nbf", nil, .shapeDates),
            ("iat", "x", .shapeDates),
            ("exp", 1_790_812_800, .validityExpired), ("nbf", 1_798_070_400, .validityNotYet),
            ("status", "x", .shapeStatus),
            ("exp", 1_795_262_341, .ok), ("exp", 1_795_262_339, .validityExpired), ("nbf", 1_795_262_459, .ok),
            ("nbf", 1_795_262_461, .validityNotYet), ("credentialStatus", "x", .shapeStatus),
        ] as [(Text, JSON, ReasonCode)]) func claims(_ name: Text, _ value: JSON, _ wanted: ReasonCode) throws
    {
        #expect(try code([]) { $0[name] = value } == wanted)
    }

    @Test(arguments: ["iss", "vct"] as [Text]) func missing(_ name: Text) throws {
        #expect(try code([]) { $0[name] = nil } == (name == "iss" ? .shapeIssuer : .shapeType))
    }

    @Test(arguments: ["exp", "nbf", "iat"] as [Text]) func optional(_ name: Text) throws {
        #expect(try code([]) { $0[name] = nil } == .ok)
    }

    @Test func types() throws {
        for type in ["dc+sd-jwt", "vc+sd-jwt", "application/dc+sd-jwt", "DC+SD-JWT"] as [Text] {
            #expect(try forge.verify(forge.sdJWT(type: type)).code == .ok)
        }
        for type in ["JWT", "kb+jwt", "sd-jwt", "vc+jwt", nil] as [Text?] {
            #expect(try forge.verify(forge.sdJWT(type: type)).code == .shapeHeader)
            let wanted: ReasonCode = type == nil ? .ok : .shapeHeader
            #expect(try forge.verify(forge.sdJWT(type: type), profile: .compat).code == wanted)
        }
    }

    @Test func plain() throws {
        var material = forge.material
        material.issuers[0].plainSDJWT = true
        let token = try forge.sdJWT([name], type: "example+sd-jwt") {
            $0["vct"] = nil
            $0["_sd"] = Disclose.digests([name])
        }
        #expect(try forge.verify(token, material: material).code == .ok)
        #expect(try forge.verify(token, material: material).credential.format == .sdJWT)
        // Both of its names for the issuer must agree.
        for (issuer, wanted) in [(JSON.string(forge.id), ReasonCode.ok), ("https://b.example/", .claimsDisagree)] {
            let token = try forge.sdJWT(type: "example+sd-jwt") { ($0["vct"], $0["issuer"]) = (nil, issuer) }
            #expect(try forge.verify(token, material: material).code == wanted)
        }
        // A sender's label does not make it a credential of another kind, nor does it make such a credential
        // a plain one.
        #expect(try forge.verify(token, claimed: .dcSDJWT, material: material).code == .kindDisagrees)
        #expect(try forge.verify(forge.sdJWT(type: "JWT"), claimed: .sdJWT).code == .shapeHeader)
        // Here dates may be disclosable, and they count.
        let until = Disclose.member("exp", 1_790_812_800)
        let late = try forge.sdJWT([until], type: nil) {
            ($0["vct"], $0["exp"]) = (nil, nil)
            $0["_sd"] = Disclose.digests([until])
        }
        #expect(try forge.verify(late, material: material).code == .validityExpired)
    }

    @Test func tilde() throws {
        let token = try forge.sdJWT()
        // The last `~` belongs to the token; the part after it is the holder's.
        let jwt = String(token.dropLast())
        for claimed in [nil, .dcSDJWT, .sdJWT, .jwtVC] as [CredentialFormat?] {
            #expect(try forge.verify(jwt, claimed: claimed).code == .proofMalformed)
        }
        let plain = try forge.sdJWT(type: nil).dropLast()
        #expect(try forge.verify(String(plain), claimed: .sdJWT).code == .proofMalformed)
        #expect(try forge.verify(token + name).code == .holderInvalid)
        #expect(try forge.verify(token + "~", claimed: .dcSDJWT).code == .disclosureMalformed)
        #expect(try forge.verify("~" + token, claimed: .dcSDJWT).code == .proofMalformed)
    }

    // MARK: VCDM 2.0

    private func vcdm(
        _ disclosures: [String] = [], profile: Profile = .strict, type: Text? = "vc+sd-jwt", contentType: Text? = "vc",
        material: TrustMaterial? = nil, changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> Verdict {
        var (claims, header) = (forge.v2, forge.header(type))
        changes(&claims)
        if let contentType { header["cty"] = .string(contentType) }
        return try forge.verify(
            ([forge.sign(header, claims)] + disclosures).joined(separator: "~") + "~", profile: profile,
            material: material)
    }

    @Test func dataModel() throws {
        let subject = Disclose.member("credentialSubject", ["id": "did:example:emp-77", "a": 1])
        let verdict = try vcdm([subject]) {
            $0["credentialSubject"] = nil
            $0["_sd"] = Disclose.digests([subject])
        }
        #expect(verdict.code == .ok)
        #expect(verdict.credential.types == ["VerifiableCredential", "EmployeePassCredential"])
        #expect(try vcdm { $0["credentialSubject"] = nil }.code == .shapeCredentialSubject)
        #expect(try vcdm { $0["validUntil"] = "2026-10-01T00:00:00Z" }.code == .validityExpired)
        #expect(try vcdm { $0["exp"] = 1_790_812_800 }.code == .validityExpired)
        #expect(try vcdm { $0["iss"] = "did:example:x" }.code == .claimsDisagree)
        #expect(try vcdm { $0["vc"] = [:] }.code == .shapeMember)
        #expect(try vcdm(contentType: "vp").code == .shapeHeader)
        #expect(try vcdm(type: "dc+sd-jwt") { $0["iss"] = .string(forge.id) }.code == .shapeType)
        #expect(try vcdm([name]).code == .disclosureUnreferenced)
    }

    // MARK: trust

    @Test func trust() throws {
        let token = try forge.sdJWT()
        #expect(try forge.verify(token, material: TrustMaterial()).code == .issuerUntrusted)
        var material = forge.material
        material.issuers[0].types = ["https://credentials.example/employee-pass"]
        #expect(try forge.verify(token, material: material).code == .ok)
        material.issuers[0].types = ["https://credentials.example/visitor-pass"]
        #expect(try forge.verify(token, material: material).code == .issuerNotForType)
    }

    @Test func replay() throws {
        let disclosures = [name, Disclose.member("family_name", "Rao")]
        func token(_ shown: [String]) throws -> String {
            try forge.sdJWT(shown) { $0["_sd"] = Disclose.digests(disclosures) }
        }
        let first = try forge.verify(token(disclosures))
        let digest = Set([first.credential.signedDigest].compactMap(\.self))
        #expect(first.code == .ok && digest.count == 1)
        for shown in [[], [disclosures[0]], disclosures.reversed()] {
            #expect(try forge.verify(token(shown), recent: digest).code == .replaySeen)
        }
    }
}
