import Encoding
import SwiftASN1

/// An X.501 name: a sequence of sets of attributes. Comparisons use the bytes that were signed.
struct DistinguishedName: Sendable {
    /// The relative names in order, each in DER.
    let parts: [ArraySlice<UInt8>]
    private let countries: [Text]
    /// Whether the name contains an electronic mail address (RFC 5280 section 4.1.2.6, deprecated form).
    let holdsMailAddress: Bool

    /// Reads a Name. Throws for any other node.
    init(_ node: ASN1Node) throws {
        var countries: [Text] = []
        var holdsMailAddress = false
        let sets = try X509Certificate.children(of: node)
        for set in sets {
            guard set.identifier == .set, case .constructed(let attributes) = set.content else {
                throw X509Certificate.Malformed()
            }
            for attribute in attributes {
                let pair = try X509Certificate.children(of: attribute)
                guard pair.count == 2 else { throw X509Certificate.Malformed() }
                let type = try ASN1ObjectIdentifier(derEncoded: pair[0])
                if type == Self.mailAddress { holdsMailAddress = true }
                guard type == Self.countryName else { continue }
                guard case .primitive(let letters) = pair[1].content, let text = Text(utf8: letters) else {
                    throw X509Certificate.Malformed()
                }
                countries.append(text)
            }
        }
        parts = sets.map(\.encodedBytes)
        self.countries = countries
        self.holdsMailAddress = holdsMailAddress
    }

    /// The only country of the name (ISO 3166-1 alpha-2); nil if the name has no country or more than one.
    var country: Text? { countries.count == 1 ? countries.first : nil }

    /// Returns whether the name is in the subtree of `base`, that is, begins with all parts of `base` (RFC 5280 section
    /// 4.2.1.10).
    func lies(in base: DistinguishedName) -> Bool { parts.starts(with: base.parts) }

    private static let countryName: ASN1ObjectIdentifier = [2, 5, 4, 6]
    private static let mailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 1]
}
