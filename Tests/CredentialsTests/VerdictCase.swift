import Encoding
import Foundation
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

    /// The list of a case that decodes a bitstring status list.
    var encodedList: Text? {
        guard let bytes = try? payload(), let json = try? JSON.parse(bytes) else { return nil }
        return json["encodedList"]?.string
    }

    func bytes(_ path: String) throws -> [UInt8] { try Vectors.bytes(folder.appendingPathComponent(path)) }

    /// `nil` for formats that the verifier has to find out itself.
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

    /// The trust data of the case, as its README translates it.
    func trust() throws -> TrustStore { try TrustStore(try material()) }

    func material() throws -> TrustMaterial {
        var material = TrustMaterial()
        let trust = json["trust"]
        for entry in trust?["issuers"]?.array ?? [] {
            guard let id = entry.string ?? entry["id"]?.string else { continue }
            var issuer = TrustedIssuer(id: id)
            issuer.controllers = texts(entry["controllers"])
            issuer.keyPurpose = text("keyPurpose") == "did-wide" ? .didWide : .strict
            issuer.inlineContexts = trust?["inlineContexts"]?.string == "allow"
            issuer.statusIssuers = texts(trust?["statusIssuers"]?[id])
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

    private func texts(_ member: JSON?) -> [Text] { (member?.array ?? []).compactMap(\.string) }

    /// All cases below a folder of the vectors root; empty when it is absent.
    static func all(in folder: URL) throws -> [VerdictCase] {
        let list = try JSON.parse(try Vectors.bytes(folder.appendingPathComponent("cases.json")))
        return (list.array ?? []).map {
            VerdictCase(id: $0["id"]?.string?.string ?? "?", folder: folder, json: $0)
        }
    }
}

extension VerdictCase {
    /// Why this version does not run the case yet: its format or its proof suites come with a later version.
    ///
    /// A rule on the file's content, not a list of names: linked-data formats run when every `type` of a proof anywhere
    /// in the document is one of ours, or when the case wants a refusal for that very reason.
    func later() throws -> String? {
        if mode == "status-list", encodedList != nil { return nil }
        if let mode, mode != "shape" { return "mode \(mode)" }
        guard ["ldp_vc", "ldp_vp", "wallet-record", "auto"].contains(format) else { return "format \(format)" }
        if wantedCodes.contains("proof.suite-unsupported") { return nil }
        guard let document = try? JSON.parse(try payload()) else { return suiteIsLater }
        var types: Set<Text> = []
        Self.collectProofTypes(document, into: &types)
        if mode == "shape" { return nil }
        if let foreign = types.subtracting(Self.suites).sorted().first { return "suite \(foreign)" }
        let lists = try (json["statusList"]?.object?.members ?? []).map { try bytes($0.value.string?.string ?? "") }
        for list in lists {
            guard let list = try? JSON.parse(list) else { return "status list that is no linked data" }
            var types: Set<Text> = []
            Self.collectProofTypes(list, into: &types)
            if let foreign = types.subtracting(Self.suites).sorted().first { return "status list of suite \(foreign)" }
        }
        if document["verifiableCredential"]?["credential"]?.string != nil { return "format inside the record" }
        return hasToken(document) ? "token inside a presentation" : nil
    }

    private static let suites = Set(ProofSuite.all.map { $0.cryptosuite ?? $0.type })

    /// A file that is no JSON must be refused whatever its suite.
    private var suiteIsLater: String? { nil }

    private func hasToken(_ document: JSON) -> Bool {
        let credentials = document["verifiableCredential"].map { $0.array ?? [$0] } ?? []
        return credentials.contains { $0.string != nil }
    }

    private static func collectProofTypes(_ value: JSON, into types: inout Set<Text>) {
        for element in value.array ?? [] { collectProofTypes(element, into: &types) }
        for member in value.object?.members ?? [] {
            if member.name == "proof" {
                for proof in member.value.array ?? [member.value] {
                    if let type = proof["cryptosuite"]?.string ?? proof["type"]?.string { types.insert(type) }
                }
            } else if ["verifiableCredential", "credential"].contains(member.name) {
                collectProofTypes(member.value, into: &types)
            }
        }
    }
}
