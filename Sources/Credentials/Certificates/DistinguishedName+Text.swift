import Encoding
import SwiftASN1

/// Names for display. No check depends on these texts.
extension DistinguishedName {
    /// The name as text, such as `CN=Works Root CA, O=Works, C=DE`. The common name is first. The other parts follow in
    /// reverse order (RFC 4514). The text has at most eight parts, and omits values that are not text and attributes
    /// without a usual short name. The maker of the certificate chose the text, so the text proves nothing.
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

    /// The maximum number of bytes of a value in the text. RFC 5280 appendix A limits a common name to 64 letters.
    private static let longest = 128

    private static let shortNames: [ASN1ObjectIdentifier: String] = [
        [2, 5, 4, 3]: "CN", [2, 5, 4, 6]: "C", [2, 5, 4, 7]: "L", [2, 5, 4, 8]: "ST", [2, 5, 4, 10]: "O",
        [2, 5, 4, 11]: "OU",
    ]
}
