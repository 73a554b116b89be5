import Encoding

@testable import Credentials

extension Disguise {
    private static let versions: [Text] = [
        "https://www.w3.org/ns/credentials/v2", "https://www.w3.org/2018/credentials/v1",
    ]

    /// Puts the credential into other objects: presentations with and without a holder's proof, and credentials of
    /// strangers.
    static func nestings(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        let value = showing.value
        let letters = String(decoding: showing.payload, as: UTF8.self)
        let forms: [(String, JSON)] =
            [("itself", value), ("an array of itself", [value]), ("{credential}", ["credential": value])]
            + (showing.object == nil ? ["vc+jwt", "dc+sd-jwt", "vc+sd-jwt", "jwt", "vp+jwt"] : []).flatMap { type in
                [
                    (type, enveloped("data:application/\(type),\(letters)")),
                    ("\(type) with ~", enveloped("data:application/\(type),\(letters)~")),
                ]
            } + (showing.object == nil ? [("itself with ~", .text(letters + "~"))] : [("text", .text(letters))])
        return forms.flatMap { name, form in
            presentations(of: [form], name, showing, kit) + tokens(around: form, name, showing, kit)
        } + lists(of: value, showing) + others(of: value, showing, kit) + strangers(of: value, showing, kit)
    }

    private static func document(_ version: Text, _ credentials: JSON, holder: Text?) -> JSONObject {
        var document: JSONObject = [
            "@context": [.string(version)], "type": ["VerifiablePresentation"], "verifiableCredential": credentials,
        ]
        document["holder"] = holder.map { .string($0) }
        return document
    }

    /// Wraps the credential in linked-data presentations of a person whose key no issuer named.
    private static func presentations(
        of credentials: JSON, _ name: String, _ showing: Showing, _ kit: DisguiseKit, company: Company = .none
    ) -> [Disguise] {
        versions.flatMap { version -> [Disguise] in
            let title = "presentation (\(version == versions[0] ? "2.0" : "1.1")) of \(name)"
            let bare = Disguise("\(title), not signed", replacesPresenter: true, company: company) {
                showing.with(.object(document(version, credentials, holder: nil)))
            }
            let signed = [kit.text, kit.graph].map { signer in
                Disguise("\(title), by \(signer.suite.rawValue)", replacesPresenter: true, company: company) {
                    let document = document(version, credentials, holder: signer.id)
                    return showing.with(
                        try signer.sign(document, purpose: "authentication") { proof in
                            proof["created"] = .text(kit.signed.rfc3339)
                            proof["challenge"] = .string(kit.demand.nonce ?? "n-1")
                            proof["domain"] = .string(kit.demand.audience ?? "gate.example")
                        })
                }
            }
            return [bare] + signed
        }
    }

    /// Wraps the credential in token presentations of the same person.
    private static func tokens(
        around credential: JSON, _ name: String, _ showing: Showing, _ kit: DisguiseKit
    ) -> [Disguise] {
        let forge = kit.tokens
        let types: [Text?] = ["vp+jwt", "JWT", nil, "vc+jwt", "dc+sd-jwt"]
        return types.flatMap { type -> [Disguise] in
            [false, true].map { isOld in
                let title = "\(isOld ? "vp" : "token") of type \(type?.string ?? "none") around \(name)"
                return Disguise(title, replacesPresenter: true) {
                    var inner = document(versions[isOld ? 1 : 0], [credential], holder: isOld ? nil : forge.id)
                    if isOld { inner = ["vp": .object(inner)] }
                    inner["iss"] = .string(forge.id)
                    inner["nonce"] = .string(kit.demand.nonce ?? "n-1")
                    inner["aud"] = .string(kit.demand.audience ?? "gate.example")
                    inner["iat"] = .int(Int(kit.signed.seconds))
                    return showing.with(try forge.sign(forge.header(type), inner))
                }
            }
        }
    }

    /// Puts the credential at the places of linked data that contain nodes.
    private static func lists(of value: JSON, _ showing: Showing) -> [Disguise] {
        let context = value["@context"] ?? [.string(versions[0])]
        let shapes: [(String, JSONObject)] = [
            ("@graph", ["@graph": [value]]), ("@included", ["@included": [value], "type": "VerifiableCredential"]),
            (
                "verifiableCredential of a credential",
                ["verifiableCredential": [value], "type": ["VerifiableCredential"]]
            ),
            ("credential of a credential", ["credential": value, "type": ["VerifiableCredential"]]),
            ("@set", ["verifiableCredential": ["@set": [value]], "type": ["VerifiablePresentation"]]),
            ("@list", ["verifiableCredential": ["@list": [value]], "type": ["VerifiablePresentation"]]),
            ("map", ["verifiableCredential": ["0": value], "type": ["VerifiablePresentation"]]),
            ("subject", ["credentialSubject": value, "type": ["VerifiableCredential"]]),
        ]
        return shapes.map { name, shape in
            Disguise("in \(name)", replacesPresenter: true) { showing.with(.object(shape.with("@context", context))) }
        }
    }

    /// Puts the credential next to another credential that is accepted.
    private static func others(of value: JSON, _ showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        guard let other = kit.other else { return [] }
        let records: [(String, JSON)] = [
            ("credential", ["credential": value, "verifiableCredential": ["credential": other]]),
            ("verifiableCredential", ["credential": other, "verifiableCredential": ["credential": value]]),
            ("both", ["verifiableCredential": [other, value]]),
        ]
        return presentations(of: [other, value], "another and it", showing, kit, company: .presentation)
            + presentations(of: [value, other], "it and another", showing, kit, company: .presentation)
            + records.map { name, record in
                Disguise("record with another, \(name)", company: .record) { showing.with(record) }
            }
    }

    /// Puts the credential into a document signed by an untrusted party.
    private static func strangers(of value: JSON, _ showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        let forge = kit.tokens
        let own: [(Text?, JSONObject)] = [
            ("vc+jwt", forge.v2.with("verifiableCredential", value)), ("JWT", forge.jwtClaims.with("vc", value)),
            ("vc+jwt", value.object ?? [:]), ("dc+sd-jwt", forge.claims.with("vc", value)),
            ("JWT", ["iss": .string(forge.id), "vc": value]),
        ]
        return own.map { type, claims in
            Disguise("a stranger's \(type?.string ?? "token") around it", replacesPresenter: true) {
                showing.with(try forge.sign(forge.header(type), claims))
            }
        }
    }
}
