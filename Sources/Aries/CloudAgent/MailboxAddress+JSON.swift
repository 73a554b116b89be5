import DIDComm
package import Encoding

extension MailboxAddress {
    /// The address in its stored form.
    package var json: JSON {
        [
            "endpoint": .string(endpoint),
            "routingKeys": routingKeys.json,
        ]
    }

    /// Reads an address from its stored form (``json``); nil for any other value.
    package init?(_ json: JSON) {
        guard let endpoint = json["endpoint"]?.string, let keys = Self.keys(json["routingKeys"]) else { return nil }
        self.init(endpoint: endpoint, routingKeys: keys)
    }

    /// Creates the address that a mediator grants, to which other agents post messages for the gate. Nil
    /// unless it is a URL (``WebURL``), with plain HTTP only if that is allowed, and every key is valid.
    init?(granting endpoint: JSON?, keys: JSON?, allowsPlainHTTP: Bool) {
        guard let url = endpoint?.string.flatMap({ WebURL($0) }), url.isSecure || allowsPlainHTTP,
            let keys = Self.keys(keys)
        else { return nil }
        self.init(endpoint: url.url, routingKeys: keys)
    }

    private static func keys(_ list: JSON?) -> [Verkey]? {
        guard let list, !list.isNull else { return [] }
        return (list.array?.count ?? 0) <= maxRoutingKeys ? [Verkey](json: list) : nil
    }
}
