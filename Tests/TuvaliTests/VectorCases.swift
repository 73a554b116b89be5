import Crypto
import Encoding
import Foundation
import TestKit
import Testing

/// The files of the folder `tuvali`, by their `kind`. A new file needs no change of this code.
enum VectorCases {
    /// The error for a case that lacks a member or has a member of another type.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// The kinds that some suite tests.
    static let knownKinds: Set<String> = [
        "crc16", "keyagreement", "encrypt", "chunks", "transfer_report", "assembler", "gunzip", "advertisement", "uri",
        "verifier_misuse", "session",
    ]

    /// Each file with its kind; nil when the folder is absent.
    static let files: [(kind: String, file: JSON)]? = {
        guard let folder = Vectors.path("tuvali") else { return nil }
        var found: [URL] = []
        var folders = [folder]
        while let next = folders.popLast() {
            for entry in Vectors.files(in: next) {
                if entry.pathExtension == "json" {
                    found.append(entry)
                } else if entry.hasDirectoryPath {
                    folders.append(entry)
                }
            }
        }
        return found.map { url in
            guard let bytes = try? Vectors.bytes(url), let file = try? JSON.parse(bytes) else {
                return ("unreadable \(url.lastPathComponent)", .null)
            }
            return (file["kind"]?.string?.string ?? "no kind in \(url.lastPathComponent)", file)
        }
    }()

    /// Runs `body` on every case of a kind. `body` returns why the case failed; nil for a success. `file` is the object
    /// that contains the case.
    static func check(_ kind: String, _ body: (_ item: JSON, _ file: JSON) throws -> String?) {
        guard let files else { return }
        let matching = files.filter { $0.kind == kind }
        guard !matching.isEmpty else {
            print("vectors: tuvali/\(kind) skipped (no file of that kind)")
            return
        }
        var tally = VectorTally("tuvali/\(kind)")
        for (_, file) in matching {
            for item in file["cases"]?.array ?? [file] {
                let id = item["id"]?.string?.string ?? "?"
                do { tally.record(id, try body(item, file)) } catch { tally.record(id, "\(error)") }
            }
        }
        #expect(tally.finish() == [])
    }
}

@Suite struct VectorFolderTests {
    @Test func everyFileHasASuite() {
        guard let files = VectorCases.files else { return }
        #expect(!files.isEmpty)
        #expect(files.map(\.kind).filter { !VectorCases.knownKinds.contains($0) } == [])
    }
}

extension JSON {
    func text(_ name: Text) throws -> String {
        guard let text = self[name]?.string?.string else { throw VectorCases.Malformed(description: "no text \(name)") }
        return text
    }

    func hex(_ name: Text) throws -> [UInt8] {
        guard let bytes = Hex.decode(try text(name)) else { throw VectorCases.Malformed(description: "no hex \(name)") }
        return bytes
    }

    func number(_ name: Text) throws -> Int {
        guard let number = self[name]?.int else { throw VectorCases.Malformed(description: "no number \(name)") }
        return number
    }

    func flag(_ name: Text) throws -> Bool {
        guard let flag = self[name]?.bool else { throw VectorCases.Malformed(description: "no flag \(name)") }
        return flag
    }

    func list(_ name: Text) throws -> [JSON] {
        guard let list = self[name]?.array else { throw VectorCases.Malformed(description: "no list \(name)") }
        return list
    }

    func hexList(_ name: Text) throws -> [[UInt8]] {
        try list(name).map { element in
            guard let bytes = element.string.flatMap({ Hex.decode($0.string) }) else {
                throw VectorCases.Malformed(description: "no hex in \(name)")
            }
            return bytes
        }
    }
}

/// The SHA-256 of `bytes` in lower-case hex.
func sha256(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(data: bytes)) }

/// Returns a description of the difference between the values; nil if they are equal.
func difference<Value: Equatable>(_ what: String, _ got: Value, _ want: Value) -> String? {
    got == want ? nil : "\(what): got \(got), want \(want)"
}

/// The first failure of several, or nil.
func firstFailure(_ failures: String?...) -> String? { failures.compactMap(\.self).first }
