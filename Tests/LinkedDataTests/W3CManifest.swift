import Encoding
import Foundation
import LinkedData
import TestKit

/// The manifests of the JSON-LD 1.1 API test suite, read as `Tests/Vectors/json-ld/README.md` describes.
struct W3CManifest {
    let folder: URL
    let baseIRI: String
    let entries: [JSON]
    let contexts: ContextDocuments

    init(_ folder: URL, _ name: String) throws {
        self.folder = folder
        let manifest = try JSON.parse(try Vectors.bytes(folder.appendingPathComponent(name)))
        baseIRI = manifest["baseIri"]?.string?.string ?? ""
        entries = manifest["sequence"]?.array ?? []
        contexts = Self.documents(below: folder, baseIRI)
    }

    /// Returns the suite's `.jsonld` files. The key of each file is its IRI.
    private static func documents(below folder: URL, _ baseIRI: String) -> ContextDocuments {
        var documents: [Text: JSON] = [:]
        for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? []
        where name.hasSuffix(".jsonld") {
            guard let bytes = try? Vectors.bytes(folder.appendingPathComponent(name)) else { continue }
            documents[Text(baseIRI + name)] = try? JSON.parse(bytes)
        }
        return ContextDocuments(documents)
    }

    /// Returns the reason why an entry is out of scope, or nil.
    func exclusion(_ entry: JSON) -> String? {
        let option = entry["option"]
        if option?["specVersion"] == "json-ld-1.0" || option?["processingMode"] == "json-ld-1.0" {
            return "JSON-LD 1.0"
        }
        if entry["requires"] == "GeneralizedRdf" { return "generalised RDF" }
        return nil
    }

    func options(_ entry: JSON) throws -> Options {
        let option = entry["option"]
        var options = Options(base: option?["base"]?.string ?? Text(baseIRI + input(entry)), ordered: true)
        if let path = option?["expandContext"]?.string { options.expandContext = try document(path.string) }
        options.rdfDirection = (option?["rdfDirection"]?.string?.string).flatMap(RDFDirection.init)
        return options
    }

    func input(_ entry: JSON) -> String { entry["input"]?.string?.string ?? "" }

    func bytes(_ path: String) throws -> [UInt8] { try Vectors.bytes(folder.appendingPathComponent(path)) }

    func document(_ path: String) throws -> JSON { try JSON.parse(try bytes(path)) }
}

extension JSON {
    /// Compares expanded documents; the order of members does not matter.
    func matches(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.matches($1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.members.allSatisfy { member in
                    right[member.name].map { member.value.matches($0) } ?? false
                }
        case (.number(let left), .number(let right)): left.double == right.double
        default: self == other
        }
    }
}
