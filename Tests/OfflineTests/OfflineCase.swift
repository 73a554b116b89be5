import Credentials
import Encoding
import Foundation
import Reasons
import TestKit

/// A case of a `cases.json` with all its data in memory.
struct OfflineCase {
    let id: String
    private let payload: [UInt8]
    private let format: CredentialFormat?
    private let verifier: Verifier
    private let clock: WallTime

    /// Returns the cases that are full verifications; nil if the list does not exist.
    static func all(in folder: URL) throws -> [OfflineCase]? {
        let list = folder.appendingPathComponent("cases.json")
        guard FileManager.default.fileExists(atPath: list.path) else { return nil }
        var limits = JSON.Limits()
        limits.values = 1_000_000
        return try (JSON.parse(try Vectors.bytes(list), limits: limits).array ?? []).compactMap { entry in
            guard entry["scope"]?.string != "out", entry["mode"] == nil else { return nil }
            return try OfflineCase(entry, in: folder)
        }
    }

    private init?(_ entry: JSON, in folder: URL) throws {
        func bytes(_ name: Text?) throws -> [UInt8] {
            try Vectors.bytes(folder.appendingPathComponent(name?.string ?? ""))
        }
        func texts(_ member: JSON?) -> [Text] { (member?.array ?? []).compactMap(\.string) }
        guard let id = entry["id"]?.string?.string,
            let utc = entry["clock"]?.string.flatMap({ Timestamp(rfc3339: $0.string) })
        else { return nil }
        var material = TrustMaterial()
        for name in texts(entry["trust"]?["roots"]) { material.roots.append(try bytes(name)) }
        // The schema pins roots for the whole case, so they apply to each of its issuers.
        let roots = (try? TrustStore(TrustMaterial(roots: material.roots)))?.rootIDs ?? []
        for issuer in entry["trust"]?["issuers"]?.array ?? [] {
            guard let name = issuer.string ?? issuer["id"]?.string else { continue }
            var trusted = TrustedIssuer(id: name, controllers: texts(issuer["controllers"]))
            trusted.keyPurpose = entry["keyPurpose"] == "did-wide" ? .didWide : .strict
            trusted.inlineContexts = entry["trust"]?["inlineContexts"] == "allow"
            trusted.statusIssuers = texts(entry["trust"]?["statusIssuers"]?[name])
            trusted.roots = roots
            trusted.plainSDJWT = entry["format"] == "sd-jwt"
            material.issuers.append(trusted)
        }
        for name in texts(entry["trust"]?["documents"]) { material.documents.append(try bytes(name)) }
        for member in entry["trust"]?["contexts"]?.object?.members ?? [] {
            material.contexts[member.name] = try bytes(member.value.string)
        }
        for member in entry["statusList"]?.object?.members ?? [] {
            material.statusLists[member.name] = try bytes(member.value.string)
        }
        guard let store = try? TrustStore(material) else { return nil }
        self.id = id
        payload = try bytes(entry["file"]?.string)
        format = entry["format"]?.string.flatMap { CredentialFormat(rawValue: $0.string) }
        verifier = Verifier(
            trust: store, policy: VerificationPolicy(profile: entry["profile"] == "compat" ? .compat : .strict))
        clock = WallTime(utc: utc, provenance: .given)
    }

    /// Returns the code of the verdict.
    func verify() -> String { verifier.verify(payload, claimed: format, at: clock).code.text }
}
