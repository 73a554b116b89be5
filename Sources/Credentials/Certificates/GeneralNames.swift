import Encoding
import SwiftASN1

/// Names of a subject, or the bases of name constraints (GeneralName, RFC 5280 section 4.2.1.6), grouped by kind.
struct GeneralNames: Sendable {
    /// The kinds of names, by their tag.
    enum Kind: UInt, Sendable {
        case mail = 1
        case dns = 2
        case directory = 4
        case uri = 6
        case address = 7
    }

    private(set) var uris: [Text] = []
    private(set) var dnsNames: [Text] = []
    private(set) var directoryNames: [DistinguishedName] = []
    /// The tags of the names that are neither URIs, DNS names nor directory names.
    private(set) var otherKinds: Set<UInt> = []

    /// Creates an empty list.
    init() {}

    /// Reads `GeneralNames`. At least one name is required.
    init(_ node: ASN1Node) throws {
        let names = try X509Certificate.children(of: node)
        guard !names.isEmpty else { throw X509Certificate.Malformed() }
        for name in names { try add(name) }
    }

    /// Reads one more name.
    mutating func add(_ node: ASN1Node) throws {
        let tag = node.identifier
        guard tag.tagClass == .contextSpecific, tag.tagNumber <= 8 else { throw X509Certificate.Malformed() }
        switch (Kind(rawValue: tag.tagNumber), node.content) {
        case (.dns, .primitive(let letters)): dnsNames.append(try Self.text(letters))
        case (.uri, .primitive(let letters)): uris.append(try Self.text(letters))
        case (.directory, .constructed(let inner)):
            let names = Array(inner)
            guard names.count == 1 else { throw X509Certificate.Malformed() }
            directoryNames.append(try DistinguishedName(names[0]))
        case (.dns, _), (.uri, _), (.directory, _): throw X509Certificate.Malformed()
        default: otherKinds.insert(tag.tagNumber)
        }
    }

    /// Reads an IA5String without control characters. Zero bytes have deceived name comparisons in other programs.
    private static func text(_ letters: ArraySlice<UInt8>) throws -> Text {
        guard letters.allSatisfy({ (0x20..<0x7F).contains($0) }), let text = Text(utf8: letters) else {
            throw X509Certificate.Malformed()
        }
        return text
    }
}
