import Encoding
import Foundation
import Reasons
import TestKit

@testable import Credentials

/// One entry of a `cases.json` (schema: Tests/Vectors/README.md).
struct VerdictCase {
    let id: String
    let folder: URL
    let json: JSON

    var outOfScope: String? { json["scope"]?.string == "out" ? text("reason") ?? "out of scope" : nil }
    var format: String { text("format") ?? "auto" }
    var mode: String? { text("mode") }
    var profile: Profile { text("profile") == "compat" ? .compat : .strict }
    var wantedDecision: String? { json["expect"]?["decision"]?.string?.string }
    var wantedCodes: [String] {
        let also = json["expect"]?["also"]?.array ?? []
        return ([json["expect"]?["code"]].compactMap(\.self) + also).compactMap { $0.string?.string }
    }
    var wantedUnsigned: [String] { (json["expect"]?["unsigned"]?.array ?? []).compactMap { $0.string?.string } }
    var wantedProofContext: String? { json["expect"]?["proofContext"]?.string?.string }
    var replayOf: String? { text("replayOf") }

    func text(_ name: Text) -> String? { json[name]?.string?.string }

    func payload() throws -> [UInt8] { try bytes(text("file") ?? "") }

    /// The encoded list of a case that decodes a bitstring status list.
    var encodedList: Text? {
        guard let bytes = try? payload(), let json = try? JSON.parse(bytes) else { return nil }
        return json["encodedList"]?.string
    }

    /// The encoded list of a case that decodes an IETF status list: JSON, or the hexadecimal text of CBOR.
    var tokenStatusList: TokenStatusList? {
        guard let bytes = try? payload(), let json = try? JSON.parse(bytes) else { return nil }
        guard let text = json["cbor"]?.string else { return try? TokenStatusList(json) }
        return Hex.decode(text.string).flatMap { try? CBOR.decode($0) }.flatMap { try? TokenStatusList($0) }
    }

    func bytes(_ path: String) throws -> [UInt8] { try Vectors.bytes(folder.appendingPathComponent(path)) }

    var verifierMode: Verifier.Mode {
        switch mode {
        case "shape": .shape
        case "issuer-data-only": .issuerDataOnly
        default: .full
        }
    }

    /// The format label; nil for formats that the verifier must detect itself.
    var claimed: CredentialFormat? { CredentialFormat(rawValue: format) }

    var clock: WallTime? {
        text("clock").flatMap { Timestamp(rfc3339: $0) }.map { WallTime(utc: $0, provenance: .given) }
    }

    var demand: HolderDemand {
        guard let holder = json["holder"] else { return HolderDemand() }
        return HolderDemand(
            nonce: holder["nonce"]?.string, audience: holder["audience"]?.string,
            required: holder["required"]?.bool ?? false, maxAge: .seconds(holder["maxAge"]?.int ?? 300))
    }

    var policy: VerificationPolicy { VerificationPolicy(version: "cases", profile: profile) }

    /// Returns the trust data of the case, translated as its README specifies.
    func trust() throws -> TrustStore { try TrustStore(try material()) }

    func material() throws -> TrustMaterial {
        var material = TrustMaterial()
        let trust = json["trust"]
        for path in texts(trust?["roots"]) { material.roots.append(try bytes(path.string)) }
        // The schema pins roots for the whole case. Each issuer's entry names all of them, as in a trust directory made
        // from the case.
        let roots = try TrustStore(TrustMaterial(roots: material.roots)).rootIDs
        for entry in trust?["issuers"]?.array ?? [] {
            guard let id = entry.string ?? entry["id"]?.string else { continue }
            var issuer = TrustedIssuer(id: id)
            issuer.controllers = texts(entry["controllers"])
            issuer.keyPurpose = text("keyPurpose") == "did-wide" ? .didWide : .strict
            issuer.inlineContexts = trust?["inlineContexts"]?.string == "allow"
            issuer.statusIssuers = texts(trust?["statusIssuers"]?[id])
            issuer.roots = roots
            issuer.plainSDJWT = format == "sd-jwt"
            if text("note") == "issuer switch may be needed" {
                issuer.uncheckedStatusTypes = [
                    "https://purl.imsglobal.org/spec/vcrl/v1p0/context.json#1EdTechRevocationList"
                ]
            }
            material.issuers.append(issuer)
        }
        for path in texts(trust?["documents"]) { material.documents.append(try bytes(path.string)) }
        for member in trust?["contexts"]?.object?.members ?? [] {
            material.contexts[member.name] = try bytes(member.value.string?.string ?? "")
        }
        for member in json["statusList"]?.object?.members ?? [] {
            material.statusLists[member.name] = try bytes(member.value.string?.string ?? "")
        }
        return material
    }

    /// Returns nil if the keys of a DID document that may sign credentials are those that the case lists.
    func documentFailure() throws -> String? {
        let keyPurpose: TrustedIssuer.KeyPurpose = text("keyPurpose") == "did-wide" ? .didWide : .strict
        do throws(Rejection) {
            guard let bytes = try? payload() else { throw Rejection(.jsonSyntax) }
            let keys = try SigningKeys(stored: bytes).keys(of: Text(text("did") ?? ""), keyPurpose)
            if wantedDecision == "accept", Set(keys) == Set(texts(json["expect"]?["keys"])) { return nil }
            return "keys \(keys)"
        } catch {
            let code = error.reason.code.text
            return wantedDecision == "reject" && wantedCodes.contains(code) ? nil : code
        }
    }

    /// Returns the case's expected processed payload of an SD-JWT, or nil if it has none.
    func wantedClaims() throws -> JSON? {
        if let claims = json["expect"]?["claims"] { return claims }
        guard let file = json["expect"]?["claimsFile"]?.string else { return nil }
        return try JSON.parse(try bytes(file.string))
    }

    private func texts(_ member: JSON?) -> [Text] { (member?.array ?? []).compactMap(\.string) }

    /// Returns all cases below a folder of the vectors root; empty if the folder is absent.
    static func all(in folder: URL) throws -> [VerdictCase] {
        let list = try JSON.parse(try Vectors.bytes(folder.appendingPathComponent("cases.json")))
        return (list.array ?? []).map {
            VerdictCase(id: $0["id"]?.string?.string ?? "?", folder: folder, json: $0)
        }
    }
}
