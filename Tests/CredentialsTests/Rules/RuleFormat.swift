import Encoding
import LinkedData

@testable import Credentials

/// A way to sign claims, and the holder's options with it.
enum RuleFormat: String, CaseIterable {
    case rdf = "eddsa-rdfc-2022"
    case disclosed = "ecdsa-sd-2023"
    case jcs = "eddsa-jcs-2022"
    case jwt
    case sdJWT = "sd-jwt"
    case mdoc

    /// The beginning of a JSON pointer to a claim.
    var root: String {
        switch self {
        case .rdf, .disclosed, .jcs, .jwt: "/credentialSubject/"
        case .sdJWT: "/"
        case .mdoc: "/nameSpaces/\(TestMdoc.nameSpace)/"
        }
    }

    /// Whether a holder may leave claims out.
    var isSelective: Bool { [.disclosed, .sdJWT, .mdoc].contains(self) }
}

/// One presentation of a credential by its holder.
struct RuleShowing {
    let name: String
    let payload: [UInt8]
}

/// One credential: presented in full, and in every other form with a valid signature.
struct RuleCredential {
    let format: RuleFormat
    let full: RuleShowing
    let choices: [RuleShowing]
    let material: TrustMaterial
    let clock: WallTime

    static let terms: Text = "https://works.example/ns/v1"
    /// A context that is pinned for another party's credentials and defines `level` as another property.
    static let strangers: Text = "https://strangers.example/ns/v1"

    static let context: JSON = [
        "@context": [
            "works": "https://works.example/ns#", "level": "works:level", "grade": "https://strangers.example/ns#level",
            "zones": "works:zone", "code": "works:code", "day": "works:day", "birth": "works:birth",
            "flag": "works:flag", "Guest": "works:Guest", "Admin": "works:Admin",
            "badge": ["@id": "works:badge", "@type": "@vocab"], "pin": "works:pin", "brooch": "works:pin",
            "rooms": ["@id": "works:room", "@container": "@list"],
        ]
    ]

    private static let strangersContext: JSON = ["@context": ["level": "https://strangers.example/ns#level"]]

    /// - Parameters:
    ///   - claims: The issuer's claims about the subject.
    ///   - isMandatory: Whether every value of an ecdsa-sd-2023 credential is mandatory for its holder.
    ///   - takesArraysWhole: Whether the entry of such a credential's issuer states that mandatory arrays are
    ///     mandatory as a whole, so that the shown values are all values.
    ///   - respellings: How many other spellings of linked data are made.
    ///   - members: The members that are respelt; the claims by default.
    init(
        _ format: RuleFormat, _ claims: JSONObject, isMandatory: Bool = false, takesArraysWhole: Bool = false,
        subject: Text? = "did:example:holder", withStrangers: Bool = false, respellings: Int = 0,
        of members: Set<Text>? = nil
    ) throws {
        switch format {
        case .rdf, .disclosed:
            try self.init(
                graph: format, claims, isMandatory: isMandatory, takesArraysWhole: takesArraysWhole, subject: subject,
                withStrangers: withStrangers, respellings: respellings, of: members)
        case .jcs: try self.init(canonicalText: claims, subject)
        case .jwt: try self.init(jwt: claims, subject)
        case .sdJWT: try self.init(sdJWT: claims, subject)
        case .mdoc: try self.init(mdoc: claims)
        }
    }

    /// A credential whose statements are signed, with a proof for all of them or one for each.
    private init(
        graph format: RuleFormat, _ claims: JSONObject, isMandatory: Bool, takesArraysWhole: Bool, subject: Text?,
        withStrangers: Bool, respellings: Int, of members: Set<Text>?
    ) throws {
        self.format = format
        clock = TestIssuer.clock
        var signer = try GraphSigner(
            format == .rdf ? .eddsaRDFC2022 : .ecdsaSD2023, contexts: [Self.terms: Self.context])
        if format == .disclosed, !isMandatory {
            signer.optional = Set(
                Self.properties.map { Text("https://works.example/ns#" + $0) } + [RDF.first, RDF.rest])
        }
        func signed(_ claims: JSONObject) throws -> JSON {
            try signer.sign(Self.document(signer.id, signer.heads(Self.terms), claims, subject))
        }
        let document = try signed(claims)
        full = RuleShowing(name: "plain", payload: document.compactBytes)
        var material = Self.material(signer.id, signer.contexts)
        material.issuers[0].takesArraysWhole = takesArraysWhole
        if withStrangers { material.contexts[Self.strangers] = Self.strangersContext.compactBytes }
        var choices: [RuleShowing] = []
        if respellings > 0 {
            let respeller = Respeller(document, contexts: signer.contexts, inlineAllowed: true)
            for (url, context) in respeller.second.documents { material.contexts[url] = context.compactBytes }
            choices += Self.respelt(respeller, respellings, members ?? Set(claims.names).subtracting(["rooms"]))
        }
        // The remaining values may be everything that must be shown, because the issuer can make single
        // elements of arrays mandatory.
        if format == .disclosed, !takesArraysWhole {
            choices += try Self.parts(of: claims).map {
                RuleShowing(name: $0, payload: try signed($1).compactBytes)
            }
        }
        (self.material, self.choices) = (material, choices)
    }

    /// A credential whose canonical text is signed.
    private init(canonicalText claims: JSONObject, _ subject: Text?) throws {
        format = .jcs
        clock = TestIssuer.clock
        let issuer = try TestIssuer(seed: 9)
        let heads: JSON = .array([.string(GraphSigner.base), .string(Self.terms)])
        let document = try issuer.signText(Self.document(issuer.id, heads, claims, subject))
        full = RuleShowing(name: "plain", payload: document.compactBytes)
        material = Self.material(
            issuer.id,
            [
                Self.terms: Self.context,
                GraphSigner.base: try JSON.parse(issuer.material.contexts[GraphSigner.base] ?? []),
            ])
        choices = Self.digits(of: document).map { RuleShowing(name: "other digits", payload: $0.compactBytes) }
    }

    /// A credential in a JWT.
    private init(jwt claims: JSONObject, _ subject: Text?) throws {
        format = .jwt
        clock = TokenForge.clock
        let forge = try TokenForge()
        var document = forge.v2
        document["credentialSubject"] = .object(
            JSONObject((subject.map { [.init("id", .string($0))] } ?? []) + claims.members))
        full = RuleShowing(
            name: "plain", payload: Array(try forge.sign(forge.header("vc+jwt"), document).utf8))
        (material, choices) = (forge.material, [])
    }

    /// An SD-JWT credential whose claims can all be withheld.
    private init(sdJWT claims: JSONObject, _ subject: Text?) throws {
        format = .sdJWT
        clock = TokenForge.clock
        let forge = try TokenForge()
        let parts = Self.disclosures(of: claims, subject)
        let token = try forge.sign(forge.header("dc+sd-jwt"), Self.withDigests(forge.claims, parts.top))
        func shown(_ kept: [String]) -> [UInt8] { Array((([token] + kept).joined(separator: "~") + "~").utf8) }
        full = RuleShowing(name: "plain", payload: shown(parts.all))
        choices = parts.removals.map { hidden in
            RuleShowing(
                name: "withheld \(hidden.count)", payload: shown(parts.all.filter { !hidden.contains($0) }))
        }
        material = forge.material
    }

    /// An mdoc, from which each claim is withheld in turn.
    private init(mdoc claims: JSONObject) throws {
        format = .mdoc
        clock = TestMdoc.clock
        let issuer = try Self.mdocIssuer.get()
        var mdoc = try TestMdoc(issuer)
        mdoc.items[0].items += claims.members.enumerated().map { index, member in
            TestMdoc.item(20 + index, member.name.string, Self.cbor(member.value))
        }
        full = RuleShowing(name: "plain", payload: try mdoc.letters())
        let first = 5
        choices = try claims.members.indices.map { index in
            var part = mdoc
            part.changeIssuerSigned = { signed in
                let name = CBOR(.text(Text(TestMdoc.nameSpace)))
                let items = signed["nameSpaces"]?[Text(TestMdoc.nameSpace)]?.array ?? []
                let kept = items.enumerated().filter { $0.offset != first + index }.map(\.element)
                return signed.with("nameSpaces", CBOR(.map([CBOR.Pair(name, CBOR(.array(kept)))])))
            }
            return RuleShowing(name: "withheld", payload: try part.letters())
        }
        material = try issuer.material
    }

    /// Returns the verdict on the statements alone; the check of spellings is another line of defence.
    func verdict(
        _ showing: RuleShowing, _ rules: GatePolicy, _ trust: TrustStore, recent: Set<[UInt8]> = []
    ) -> Verdict {
        var verifier = Verifier(trust: trust, policy: VerificationPolicy(rules))
        verifier.checksSpelling = false
        return verifier.verify(showing.payload, recent: recent, at: clock)
    }

    // MARK: - Linked data

    private static let properties = ["level", "zone", "code", "day", "birth", "flag", "badge", "pin", "room"]

    private static func document(_ issuer: Text, _ heads: JSON, _ claims: JSONObject, _ subject: Text?) -> JSONObject {
        [
            "@context": heads, "type": ["VerifiableCredential"], "issuer": .string(issuer),
            "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z",
            "credentialSubject": .object(
                JSONObject((subject.map { [.init("id", .string($0))] } ?? []) + claims.members)),
        ]
    }

    private static func material(_ issuer: Text, _ contexts: [Text: JSON]) -> TrustMaterial {
        var entry = TrustedIssuer(id: issuer)
        entry.inlineContexts = true
        var material = TrustMaterial(issuers: [entry])
        material.contexts = contexts.mapValues(\.compactBytes)
        return material
    }

    private static func respelt(_ respeller: Respeller, _ count: Int, _ members: Set<Text>) -> [RuleShowing] {
        var showings: [RuleShowing] = []
        for candidate in respeller.chosen(seed: respeller.document)
        where members.contains(candidate.member) && candidate.target.contains("/credentialSubject") {
            guard showings.count < count, let respelt = respeller.respelt(candidate) else { continue }
            showings.append(RuleShowing(name: candidate.name, payload: respelt.compactBytes))
        }
        return showings
    }

    /// Returns the claims without one of them, or without one value of one of them.
    private static func parts(of claims: JSONObject) -> [(String, JSONObject)] {
        var result: [(String, JSONObject)] = []
        for member in claims.members {
            result.append(("withheld \(member.name)", claims.without(member.name)))
            // Each value of a set is a statement of its own; a part of a list is not a list in RDF.
            let elements = member.name == "rooms" ? [] : member.value.array ?? []
            for index in elements.indices where elements.count > 1 {
                var rest = elements
                rest.remove(at: index)
                result.append(("withheld a value of \(member.name)", claims.with(member.name, .array(rest))))
            }
        }
        return result
    }

    /// Returns the document with each of its numbers in other digits that are equal under JCS.
    private static func digits(of document: JSON) -> [JSON] {
        let subject = document["credentialSubject"]?.object ?? [:]
        return subject.members.compactMap { member in
            guard let number = member.value.number else { return nil }
            let text = number.text.hasSuffix("992") ? String(number.text.dropLast()) + "3" : number.text + ".0"
            return document.replacing(
                JSONPlace() / "credentialSubject" / member.name, by: .number(JSONNumber(validated: text)))
        }
    }

    // MARK: - SD-JWT

    /// A claim as a disclosable member; if it is an array, each element is also disclosable.
    private struct Disclosures {
        var top: [String] = []
        var all: [String] = []
        /// The sets of disclosures that a holder may leave out: each claim, each element, all elements but
        /// one.
        var removals: [Set<String>] = []
    }

    private static func disclosures(of claims: JSONObject, _ subject: Text?) -> Disclosures {
        var result = Disclosures()
        for member in claims.members + (subject.map { [.init("sub", .string($0))] } ?? []) {
            var value = member.value
            var inner: [String] = []
            if let elements = member.value.array {
                inner = elements.enumerated().map { Disclose.element($1, salt: Text("salt-\(member.name)-\($0)")) }
                value = .array(inner.map { ["...": Disclose.digest($0)] })
            }
            let outer = Disclose.member(member.name, value, salt: Text("salt-\(member.name)"))
            result.top.append(outer)
            result.all += [outer] + inner
            result.removals.append(Set([outer] + inner))
            result.removals += inner.map { [$0] }
            if inner.count > 2 { result.removals += inner.map { Set(inner).subtracting([$0]) } }
        }
        return result
    }

    private static func withDigests(_ claims: JSONObject, _ top: [String]) -> JSONObject {
        claims.with("_sd", Disclose.digests(top))
    }

    // MARK: - Mdoc

    private static let mdocIssuer = Result { try TestMdoc.Issuer() }

    private static func cbor(_ value: JSON) -> CBOR {
        switch value {
        case .string(let text): CBOR(.text(text))
        case .number(let number): CBOR(integerLiteral: number.int ?? 0)
        case .bool(let flag): CBOR(booleanLiteral: flag)
        case .array(let elements): CBOR(.array(elements.map(cbor)))
        case .null: CBOR(.simple(22))
        case .object(let object):
            CBOR(.map(object.members.map { CBOR.Pair(CBOR(.text($0.name)), cbor($0.value)) }))
        }
    }
}
