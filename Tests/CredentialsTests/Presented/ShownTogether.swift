import Encoding

@testable import Credentials

/// A staff pass and a library card of two issuers, to be presented alone or together in every possible form.
struct ShownTogether {
    enum Way: String, CaseIterable {
        case linkedData = "ldp_vp"
        case firstToken = "jwt_vp_json"
        case secondToken = "vp+jwt"
        case response = "mso_mdoc"
    }

    /// One credential, as it appears in the whole payload.
    struct Card {
        let name: Text
        let issuer: Text
        let type: Text
        /// The same credential alone, as a payload.
        let alone: [UInt8]
        fileprivate let part: Part
    }

    fileprivate enum Part {
        case json(JSON)
        case mdoc(CBOR)
    }

    static let clock = TokenForge.clock

    let way: Way
    let staff: Card
    let library: Card
    let material: TrustMaterial
    private let makers: Makers

    /// The signers; for mdocs each card has its own root.
    private enum Makers {
        case graphs([GraphSigner], holder: GraphSigner)
        case tokens([TokenForge], holder: TokenForge)
        case mdocs([TestMdoc.Issuer])
    }

    init(_ way: Way) throws {
        self.way = way
        let makers = try Self.makers(way)
        self.makers = makers
        staff = try Self.card("StaffPass", 0, from: "2026-01-05", way, makers)
        library = try Self.card("LibraryCard", 1, from: "2026-02-06", way, makers)
        material = try Self.material(makers)
    }

    /// Returns another card of the same issuer.
    func another(_ card: Card, from day: String) throws -> Card {
        try Self.card(card.name, card.name == staff.name ? 0 : 1, from: day, way, makers)
    }

    /// Returns the cards in one presentation or DeviceResponse.
    func together(_ cards: [Card]) throws -> [UInt8] {
        let parts = cards.compactMap { if case .json(let json) = $0.part { json } else { nil } }
        switch makers {
        case .graphs(_, let holder):
            return try holder.sign(
                [
                    "@context": holder.heads(), "type": ["VerifiablePresentation"],
                    "verifiableCredential": .array(parts),
                ], purpose: "authentication"
            ).compactBytes
        case .tokens(_, let holder):
            var claims: JSONObject = ["iss": .string(holder.id), "iat": .int(TokenForge.now - 5)]
            let isFirst = way == .firstToken
            var presentation: JSONObject = [
                "@context": [.string(isFirst ? Self.first : GraphSigner.base)], "type": ["VerifiablePresentation"],
                "verifiableCredential": .array(parts),
            ]
            if isFirst {
                claims["vp"] = .object(presentation)
                return Array(try holder.sign(holder.header("JWT"), claims).utf8)
            }
            for member in claims.members { presentation[member.name] = member.value }
            return Array(try holder.sign(holder.header("vp+jwt"), presentation).utf8)
        case .mdocs:
            let documents = cards.compactMap { if case .mdoc(let document) = $0.part { document } else { nil } }
            let response: CBOR = ["version": "1.0", "documents": CBOR(.array(documents)), "status": 0]
            return TestMdoc.letters(response.value.deterministicBytes)
        }
    }

    private static let first: Text = "https://www.w3.org/2018/credentials/v1"
    private static let url: Text = "https://cards.example/v1"
    private static let context: JSON = [
        "@context": [
            "StaffPass": "https://cards.example/ns#StaffPass", "LibraryCard": "https://cards.example/ns#LibraryCard",
        ]
    ]

    private static func makers(_ way: Way) throws -> Makers {
        switch way {
        case .linkedData:
            let signers = try [31, 32, 33].map {
                try GraphSigner(.eddsaRDFC2022, seed: $0, contexts: [url: context])
            }
            return .graphs(Array(signers.prefix(2)), holder: signers[2])
        case .firstToken, .secondToken:
            return .tokens([try TokenForge(seed: 3), try TokenForge(seed: 4)], holder: try TokenForge(seed: 5))
        case .response: return .mdocs([try TestMdoc.Issuer(), try TestMdoc.Issuer()])
        }
    }

    private static func card(
        _ name: Text, _ index: Int, from day: String, _ way: Way, _ makers: Makers
    ) throws -> Card {
        let start: JSON = .text(day + "T00:00:00Z")
        switch makers {
        case .graphs(let signers, _):
            let signer = signers[index]
            let document = try signer.sign([
                "@context": signer.heads(url), "type": ["VerifiableCredential", .string(name)],
                "issuer": .string(signer.id), "validFrom": start, "credentialSubject": ["id": "did:example:a"],
            ])
            return Card(
                name: name, issuer: signer.id, type: "https://cards.example/ns#\(name)", alone: document.compactBytes,
                part: .json(document))
        case .tokens(let forges, _):
            let forge = forges[index]
            var document = way == .firstToken ? forge.v1 : forge.v2
            document["type"] = ["VerifiableCredential", .string(name)]
            document["id"] = .text("urn:card:\(day)-\(index)")
            if way == .firstToken {
                document["issuanceDate"] = start
                let token = try forge.sign(
                    forge.header("JWT"), ["iss": .string(forge.id), "vc": .object(document)])
                return Card(
                    name: name, issuer: forge.id, type: name, alone: Array(token.utf8), part: .json(.text(token)))
            }
            document["validFrom"] = start
            let token = try forge.sign(forge.header("vc+jwt"), document)
            let envelope: JSON = [
                "@context": .string(GraphSigner.base), "id": .text("data:application/vc+jwt," + token),
                "type": "EnvelopedVerifiableCredential",
            ]
            return Card(name: name, issuer: forge.id, type: name, alone: Array(token.utf8), part: .json(envelope))
        case .mdocs(let issuers):
            var mdoc = try TestMdoc(issuers[index])
            let type: Text = "org.example.\(name)"
            mdoc.object = mdoc.object.with("docType", CBOR(.text(type)))
            mdoc.setDate("validFrom", .tag(0, CBOR(.text(Text(day + "T00:00:00Z")))))
            mdoc.items = [("org.example", [TestMdoc.item(1, "day", CBOR(.text(Text(day))))])]
            mdoc.wrap = { ["docType": CBOR(.text(type)), "issuerSigned": $0] }
            let document = try mdoc.build()
            return Card(
                name: name, issuer: try issuers[index].rootID, type: type,
                alone: TestMdoc.letters(document.value.deterministicBytes), part: .mdoc(document))
        }
    }

    private static func material(_ makers: Makers) throws -> TrustMaterial {
        var material = TrustMaterial()
        switch makers {
        case .graphs(let signers, _):
            material.issuers = signers.map { TrustedIssuer(id: $0.id) }
            material.contexts = signers[0].contexts.mapValues(\.compactBytes)
        case .tokens(let forges, _): material.issuers = forges.map { TrustedIssuer(id: $0.id) }
        case .mdocs(let issuers):
            for issuer in try issuers.map({ try $0.material }) {
                material.roots += issuer.roots
                material.issuers += issuer.issuers
            }
        }
        return material
    }
}
