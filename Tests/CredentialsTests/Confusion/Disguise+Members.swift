import Encoding

@testable import Credentials

extension Disguise {
    /// Adds members of other kinds of credentials at unsigned places: at the top, in `vc`, in the subject, in the
    /// proof, in the surrounding record.
    static func members(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        let foreign = foreign(kit)
        guard let object = showing.object else {
            return foreign.map { name, value in
                Disguise("record with \(name.string)") {
                    showing.with(.object(JSONObject([.init("credential", showing.value), .init(name, value)])))
                }
            }
        }
        let places: [JSONPlace] =
            [JSONPlace()] + (["vc", "credentialSubject", "proof"] as [Text]).map { JSONPlace() / $0 }
        let inside = places.flatMap { place -> [Disguise] in
            // Only `vc` is created if it does not exist.
            let made: JSONObject? = place == JSONPlace() / "vc" ? [:] : nil
            guard let node = JSON.object(object).value(at: place)?.object ?? made else { return [] }
            return foreign.flatMap { name, value -> [Disguise] in
                [
                    Disguise("\(place)/\(name.string) \(value.compactText.prefix(24))", takesAway: node[name] != nil) {
                        showing.with(object.setting(place, to: .object(node.with(name, value))))
                    }
                ]
            }
        }
        let around = foreign.prefix(16).map { name, value in
            Disguise("record with \(name.string)") {
                showing.with(["verifiableCredential": ["credential": .object(object)], name: value])
            }
        }
        return inside + around
    }

    /// Returns names that are decisive in some kind, with values that favour the holder.
    private static func foreign(_ kit: DisguiseKit) -> [(Text, JSON)] {
        let (past, future): (JSON, JSON) = (1_600_000_000, 4_000_000_000)
        let entry: JSON = [
            "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "9",
            "statusListCredential": "https://issuer.example/status/clean",
        ]
        return [
            ("exp", future), ("exp", past), ("nbf", past), ("iat", past), ("iss", .string(kit.text.id)),
            ("sub", "did:example:other"), ("jti", "urn:uuid:other"), ("aud", "gate.example"),
            ("vct", "https://credentials.example/other"), ("vct#integrity", "sha256-AAAA"),
            ("cnf", ["jwk": kit.tokens.jwk]), ("status", ["status_list": ["idx": 9, "uri": "https://a.example/1"]]),
            ("status", nil), ("status_list", ["bits": 1, "lst": "eNoDAAAAAAE"]), ("credentialStatus", entry),
            ("credentialStatus", nil), ("credentialStatus", []), ("validUntil", "2099-01-01T00:00:00Z"),
            ("validUntil", nil), ("validFrom", "2020-01-01T00:00:00Z"), ("expirationDate", "2099-01-01T00:00:00Z"),
            ("issuanceDate", "2020-01-01T00:00:00Z"), ("vc", ["type": ["VerifiableCredential"]]),
            ("vp", ["type": ["VerifiablePresentation"]]), ("_sd", []), ("_sd", ["AAAA"]), ("_sd_alg", "sha-256"),
            ("...", "AAAA"), ("holder", .string(kit.text.id)), ("verifiableCredential", []),
            ("docType", "org.iso.18013.5.1.mDL"), ("nameSpaces", [:]), ("type", "VerifiablePresentation"),
            ("@type", "VerifiablePresentation"), ("@id", "urn:uuid:other"), ("id", "urn:uuid:other"),
            ("issuer", .string(kit.text.id)), ("termsOfUse", []), ("evidence", []), ("refreshService", [:]),
            ("nonce", "n-1"), ("challenge", "n-1"), ("domain", "gate.example"), ("level", 9), ("@graph", []),
            ("@included", []), ("@nest", ["validUntil": "2099-01-01T00:00:00Z"]), ("@reverse", [:]),
            ("relatedResource", []),
            ("previousProof", "urn:proof:1"), ("expires", "2099-01-01T00:00:00Z"), ("created", "2020-01-01T00:00:00Z"),
        ]
    }

    /// Removes one of the members.
    static func removals(of showing: Showing) -> [Disguise] {
        guard let object = showing.object else { return [] }
        let value = JSON.object(object)
        return places(in: value).prefix(8).flatMap { place -> [Disguise] in
            (value.value(at: place)?.object?.names ?? []).prefix(24).map { name in
                Disguise("\(place) without \(name.string)", takesAway: true) {
                    let node = value.value(at: place)?.object ?? [:]
                    return showing.with(value.replacing(place, by: .object(node.without(name))))
                }
            }
        }
    }
}

extension JSONObject {
    /// Returns the document with that value at a place that is the top or one of its members.
    fileprivate func setting(_ place: JSONPlace, to value: JSON) -> JSON {
        guard case .member(let name)? = place.steps.first else { return value }
        return .object(with(name, value))
    }
}
