import Encoding
import TestKit

@testable import Credentials

extension FuzzTarget {
    /// Keys: DID and controller documents as JSON, and identifiers that contain their key.
    static let key = FuzzTarget(
        name: "key", longest: 4096,
        seeds: {
            let documents = SeedFiles.files("did", endings: [".json"]) + SeedFiles.files("vc", endings: [".json"])
            let small = documents.filter { bytes in
                guard let object = try? JSON.parse(bytes) else { return false }
                return ["verificationMethod", "publicKeyPem", "publicKeyJwk", "publicKeyMultibase", "didDocument"]
                    .contains { object[$0] != nil }
            }
            let texts = documents.compactMap { try? JSON.parse($0) }.flatMap { SeedFiles.texts($0) }
            let dids = Set(texts.filter { $0.hasPrefix("did:key:") || $0.hasPrefix("did:jwk:") }).sorted()
            return small + dids.prefix(200).map { Array($0.utf8) }
        },
        check: { bytes in
            if let text = Text(utf8: bytes), let document = SelfContainedDID.document(text) {
                require(document.id == text, "a document is of its identifier")
            }
            guard let json = try? JSON.parse(bytes), let document = ControllerDocument(json) else { return }
            for purpose in [TrustedIssuer.KeyPurpose.strict, .didWide] {
                _ = try? SigningKeys(stored: bytes).keys(of: document.id, purpose)
            }
        })

    /// Trust bundles with a valid signature. An input is a line with the list of files, followed by their
    /// contents.
    static let bundle = FuzzTarget(
        name: "bundle", longest: 4096,
        seeds: { bundleSamples },
        check: { bytes in
            guard let key = operatorKey else { return require(false, "a test key") }
            _ = try? TrustBundle(bytes, keys: [key.publicKey])
            let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
            let line = bytes[..<end] + [0x0A]
            let format = Array("gatehouse trust bundle 1\n".utf8)
            guard let signature = key.signature(over: format + line) else { return require(false, "signs") }
            let whole = format + Array((Base64.encode(signature) + "\n").utf8) + line + bytes[end...].dropFirst()
            guard let read = try? TrustBundle(whole, keys: [key.publicKey]) else { return }
            let again = (try? TrustBundle.write(read.edition, files: read.files, key: key)) ?? []
            let second = try? TrustBundle(again, keys: [key.publicKey])
            require(second?.files == read.files && second?.edition.version == read.edition.version, "comes back")
            for path in read.files.keys {
                let parts = path.string.split(separator: "/", omittingEmptySubsequences: false)
                require(!parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }, "no path leads out of the directory")
            }
        })

    private static let operatorKey = OperatorSigningKey(seed: [UInt8](repeating: 9, count: 32))

    private static var bundleSamples: [[UInt8]] {
        let issued = Timestamp(seconds: 1_780_000_000)
        let edition = TrustEdition(
            version: 42, digest: [], issued: issued, validUntil: issued.advanced(by: .seconds(864_000)),
            grace: .seconds(60))
        let sets: [[Text: [UInt8]]] = [
            [:], ["issuers.toml": Array("profile = \"strict\"\n".utf8)],
            ["did/a.json": Array("{}".utf8), "roots/b.pem": [], "status/c.jwt": [1, 2, 3]],
        ]
        return sets.compactMap { files in
            guard let key = operatorKey, let bytes = try? TrustBundle.write(edition, files: files, key: key) else {
                return nil
            }
            // The check adds the first two lines itself.
            return bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).last.map { Array($0) }
        }
    }
}
