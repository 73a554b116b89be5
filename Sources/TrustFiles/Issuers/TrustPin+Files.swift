import Credentials
import Crypto
import Encoding
import Foundation
import LinuxIO
import Settings

/// Reads and writes the files of the trust directory.
extension TrustPin {
    /// Returns the SHA-256 hash in hexadecimal digits.
    static func hash(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(data: bytes)) }

    /// A file to write, with its new content.
    struct Change {
        let path: String
        let bytes: [UInt8]

        init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
    }

    /// The content of `issuers.toml` in a new directory. The file must exist even without issuers.
    static let beginning = Array(
        """
        # The issuers that this gate trusts; gatehouse trust list shows the result.
        untyped-issuers = "refuse"

        """.utf8)

    private var base: [String: [UInt8]] {
        folder.exists(TrustSection.issuersFile) ? [:] : [TrustSection.issuersFile: Self.beginning]
    }

    func current() throws(Failure) -> TrustDirectory { try read([:]) }

    private func read(_ changes: [String: [UInt8]]) throws(Failure) -> TrustDirectory {
        do throws(TrustDirectoryError) {
            return try TrustDirectory(TrustOverlay(folder: folder, changes: base.merging(changes) { $1 }))
        } catch { throw .directory(error) }
    }

    func editing(
        _ settings: IssuerSettings, of id: Text, in current: TrustDirectory
    ) throws(Failure) -> [Change] {
        if let issuer = current.store.issuer(id), settings.applied(to: issuer) == issuer { return [] }
        let bytes =
            base[TrustSection.issuersFile] ?? folder.read(TrustSection.issuersFile, limit: TrustIndex.largestFile) ?? []
        var edit = IssuersEdit(bytes)
        do throws(IssuersEdit.Conflict) {
            try edit.set(settings, of: id, replaces: replaces)
        } catch {
            throw .differs(
                "line \(error.line) of issuers.toml says \(error.name) = \(error.value) of \(id)",
                remedy: "change it there, or give --replace")
        }
        return [Change(TrustSection.issuersFile, edit.bytes)]
    }

    func writing(
        _ changes: [Change], _ outcome: Outcome, _ isMeant: (TrustDirectory) -> Bool
    ) throws(Failure) -> Outcome {
        guard !changes.isEmpty else { return outcome }
        try write(changes, isMeant)
        var outcome = outcome
        outcome.files = changes.map(\.path)
        return outcome
    }

    func write(_ changes: [Change], _ isMeant: (TrustDirectory) -> Bool) throws(Failure) {
        let new = Dictionary(changes.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
        let unsafe = Failure.unusable(
            "the files of \(directory) have a form that this command cannot change safely",
            remedy: "change them by hand; /usr/share/gatehouse/issuers.toml explains every key")
        guard isMeant(try read(new)) else { throw unsafe }
        let before = changes.map { ($0.path, folder.read($0.path, limit: TrustIndex.largestFile)) }
        do throws(SystemError) {
            try DurableFile.make(folder: directory)
            // In a new directory, first write `issuers.toml` unless it is among the changes. Write the changes in
            // their order, so that each file exists before an index file names it.
            for (path, bytes) in base where new[path] == nil {
                try DurableFile.replace(directory + "/" + path, with: bytes)
            }
            for change in changes {
                if let slash = change.path.lastIndex(of: "/") {
                    try DurableFile.make(folder: directory + "/" + change.path[..<slash])
                }
                try DurableFile.replace(directory + "/" + change.path, with: change.bytes)
            }
        } catch {
            restore(before)
            throw .disk(error)
        }
        // Check the directory again, because another process may have changed it in the meantime.
        do throws(Failure) {
            guard isMeant(try read([:])) else { throw unsafe }
        } catch {
            restore(before)
            throw error
        }
    }

    private func restore(_ files: [(String, [UInt8]?)]) {
        for (path, bytes) in files.reversed() {
            if let bytes {
                try? DurableFile.replace(directory + "/" + path, with: bytes)
            } else {
                remove([path])
            }
        }
    }

    func remove(_ paths: [String]) {
        for path in paths { try? FileManager.default.removeItem(atPath: directory + "/" + path) }
    }

    /// Returns a JSON file in the folder `place` for which `isWanted` returns true; nil if there is none.
    func stored(in place: String, _ isWanted: (JSON) -> Bool) -> (path: String, bytes: [UInt8])? {
        stored(in: place) { json, _ in isWanted(json) }
    }

    func stored(in place: String, _ isWanted: (JSON, [UInt8]) -> Bool) -> (path: String, bytes: [UInt8])? {
        for name in folder.names(in: place) where name.hasSuffix(".json") && name != "index.json" {
            let path = place + "/" + name
            guard let bytes = folder.read(path, limit: TrustIndex.largestFile), let json = try? JSON.parse(bytes) else {
                continue
            }
            if isWanted(json, bytes) { return (path, bytes) }
        }
        return nil
    }

    /// Returns a file name for an id. Characters that some file systems do not permit are replaced. If a different
    /// file with this name exists, a part of a hash is added.
    func freshName(in place: String, for id: Text, ending: String, _ bytes: [UInt8]) -> String {
        var letters = id.string
        if letters.hasPrefix("https://") { letters.removeFirst("https://".count) }
        let safe = letters.utf8.map { (byte: UInt8) -> Character in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
                Character(Unicode.Scalar(byte))
            default: "-"
            }
        }
        let full = String(safe.drop { $0 == "." || $0 == "-" }.prefix(80))
        let ends = [".jsonld", ".json"].first(where: full.hasSuffix)
        let stem = String(full.dropLast(ends?.count ?? 0))
        let name = (stem.isEmpty ? "pinned" : stem) + ending
        let path = place + "/" + name
        if !folder.exists(path) || folder.read(path, limit: TrustIndex.largestFile) == bytes { return name }
        return "\(stem)-\(Self.hash(Array(id.utf8) + bytes).prefix(8))\(ending)"
    }

    /// Throws if an id or URL from the command line has no colon, is longer than 2048 bytes, or contains blanks or
    /// control characters.
    func checkName(_ id: Text) throws(Failure) {
        let isName =
            id.utf8.contains(UInt8(ascii: ":")) && id.utf8.count <= 2048
            && id.string.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.value > 0x20 && $0.value != 0x7F
            }
        guard isName else {
            throw .unusable(
                "\(id) is not a URL or DID", remedy: "write it as in credentials, such as did:web:works.example")
        }
    }
}

extension TrustDirectory {
    /// Returns whether both directories have the same issuers, apart from the settings `change` of one entry, and the
    /// same general settings of `issuers.toml`.
    func sameIssuers(as other: TrustDirectory, but change: (id: Text, IssuerSettings)? = nil) -> Bool {
        var expected = other.store.listedIssuers
        if let (id, settings) = change {
            let entry = other.store.issuer(id) ?? TrustedIssuer(id: id)
            expected = expected.filter { $0.id != id } + [settings.applied(to: entry)]
        }
        return store.listedIssuers == expected.sorted { $0.id < $1.id } && material.profile == other.material.profile
            && material.untypedIssuers == other.material.untypedIssuers
            && material.revokedKeys == other.material.revokedKeys
    }
}
