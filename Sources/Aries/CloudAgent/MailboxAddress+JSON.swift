import DIDComm
package import Encoding

extension MailboxAddress {
    /// The longest endpoint, in bytes.
    static let maxEndpointBytes = 2048

    /// As it is kept.
    package var json: JSON {
        [
            "endpoint": .string(endpoint),
            "routingKeys": routingKeys.json,
        ]
    }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSON) {
        guard let endpoint = json["endpoint"]?.string, let keys = Self.keys(json["routingKeys"]) else { return nil }
        self.init(endpoint: endpoint, routingKeys: keys)
    }

    /// An address that somebody else grants: others are going to post there whatever they have for us. Nil unless it is an http or
    /// https URL with a host, without user, password, fragment or odd letters, and every key is one.
    init?(granting endpoint: JSON?, keys: JSON?, allowsPlainHTTP: Bool) {
        guard let endpoint = endpoint?.string, let keys = Self.keys(keys),
            endpoint.utf8.count <= Self.maxEndpointBytes,
            endpoint.utf8.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        let schemes = allowsPlainHTTP ? ["https://", "http://"] : ["https://"]
        guard endpoint.isHTTPURL, let scheme = schemes.first(where: { endpoint.hasPrefix(Text($0)) }) else {
            return nil
        }
        let authority = endpoint.utf8.dropFirst(scheme.utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        guard let first = authority.first, first != UInt8(ascii: ":"), !authority.contains(UInt8(ascii: "@")) else {
            return nil
        }
        self.init(endpoint: endpoint, routingKeys: keys)
    }

    private static func keys(_ list: JSON?) -> [Verkey]? {
        guard let list, !list.isNull else { return [] }
        return (list.array?.count ?? 0) <= maxRoutingKeys ? [Verkey](json: list) : nil
    }
}
