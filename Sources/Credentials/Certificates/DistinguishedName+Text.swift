import Encoding
import SwiftASN1

/// Names for people to read. No check depends on them.
extension DistinguishedName {
    /// The name as text, such as `CN=Works Root CA, O=Works, C=DE`: the common name first, then the other
    /// parts from the last to the first (RFC 4514), at most eight parts in all. Values that are no text and
    /// attributes without a usual short name are omitted. The maker of the certificate chose this text, so do
    /// not trust it.
    var text: String {
        let all = parts.prefix(8).reversed().flatMap(Self.attributes)
        let words = all.filter { $0.hasPrefix("CN=") } + all.filter { !$0.hasPrefix("CN=") }
        return words.isEmpty ? "a name without text" : words.joined(separator: ", ")
    }

    private static func attributes(_ part: ArraySlice<UInt8>) -> [String] {
        guard let set = try? DER.parse(Array(part)), case .constructed(let attributes) = set.content else { return [] }
        return attributes.prefix(8).compactMap { attribute in
            guard let pair = try? X509Certificate.children(of: attribute), pair.count == 2,
                let type = try? ASN1ObjectIdentifier(derEncoded: pair[0]), let name = shortNames[type],
                case .primitive(let letters) = pair[1].content, let value = Text(utf8: letters.prefix(longest))
            else { return nil }
            return "\(name)=\(value)"
        }
    }

    /// The maximum number of bytes shown of a value (RFC 5280 appendix A has 64 letters as the upper bound of
    /// a common name).
    private static let longest = 128

    private static let shortNames: [ASN1ObjectIdentifier: String] = [
        [2, 5, 4, 3]: "CN", [2, 5, 4, 6]: "C", [2, 5, 4, 7]: "L", [2, 5, 4, 8]: "ST", [2, 5, 4, 10]: "O",
        [2, 5, 4, 11]: "OU",
    ]
}
