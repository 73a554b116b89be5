import Encoding
import Foundation
import TestKit

/// The visitors' credential: a published one, valid from 2025-01-02 to 2027-01-02, verified at the real date.
struct Credential {
    private static let id = "ldp_vc.Ed25519Signature2018SignedVC-did"
    static let type = "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"

    /// The published file.
    let genuine: String
    /// The same credential with one claim changed.
    let tampered: String
    /// A trust directory with what its vector case names.
    let trust: String

    /// Prepares the files in `place`; nil when the vectors are absent.
    init?(_ place: Workplace) throws {
        guard let folder = Vectors.path("vc/mosip") else { return nil }
        let cases = try JSON.parse(Vectors.bytes(folder.appendingPathComponent("cases.json")))
        guard let found = cases.array?.first(where: { $0["id"]?.string == Text(Self.id) }),
            let file = found["file"]?.string, let trusted = found["trust"]
        else { throw PeerFailure("cases.json has no \(Self.id)") }
        let text = try String(contentsOf: folder.appendingPathComponent(file.string), encoding: .utf8)
        let changed = text.replacingOccurrences(of: "\"25.75\"", with: "\"95.75\"")
        guard changed != text else { throw PeerFailure("the credential has not the claim to be changed") }
        genuine = try place.write("genuine.json", text)
        tampered = try place.write("tampered.json", changed)

        for issuer in trusted["issuers"]?.array ?? [] {
            let name = issuer.string ?? issuer["id"]?.string ?? ""
            try place.write(
                "trust/issuers.toml",
                """
                profile = "strict"
                untyped-issuers = "refuse"

                [[issuer]]
                id = "\(name)"
                types = ["\(Self.type)"]

                """)
        }
        for (number, document) in (trusted["documents"]?.array ?? []).enumerated() {
            try place.write("trust/did/\(number).json", Self.text(folder, document.string))
        }
        var index: [JSON] = []
        for (number, member) in (trusted["contexts"]?.object?.members ?? []).enumerated() {
            let file = "\(number).jsonld"
            let path = try place.write("trust/contexts/\(file)", Self.text(folder, member.value.string))
            index.append([
                "url": .string(member.name), "file": .text(file), "sha256": .text(try Self.sha256(path, place)),
            ])
        }
        try place.write("trust/contexts/index.json", JSON.array(index).compactText)
        trust = place.path("trust")
    }

    private static func text(_ folder: URL, _ file: Text?) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(file?.string ?? "").standardizedFileURL, encoding: .utf8)
    }

    private static func sha256(_ path: String, _ place: Workplace) throws -> String {
        let output = place.path("sha256")
        try? FileManager.default.removeItem(atPath: output)
        let child = try Child("sha256sum", [path], output: output)
        while child.poll() == nil { usleep(1000) }
        return String(try String(contentsOfFile: output, encoding: .utf8).prefix(64))
    }
}
