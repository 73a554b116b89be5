package import Encoding

/// The two prefixes of Aries message types. The gate reads both and writes the prefix of its invitation (RFC 0348).
package enum TypePrefix: String, CaseIterable, Sendable {
    /// The current prefix of DIDComm message types.
    case didcomm = "https://didcomm.org/"
    /// The prefix from before 2020, which VCX still writes.
    case legacy = "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/"
}

/// A protocol and its version, in the form of `handshake_protocols` and discover-features, such as
/// `didexchange/1.1`.
package struct ProtocolName: Hashable, Sendable {
    /// The protocol's name, such as `didexchange`.
    package let family: Text
    /// The major version. A different major version counts as a different protocol.
    package let major: Int
    /// The minor version. A reader ignores what a newer minor version adds.
    package let minor: Int

    /// Creates the name of the protocol `family` in version `major.minor`.
    package init(_ family: Text, _ major: Int, _ minor: Int) {
        (self.family, self.major, self.minor) = (family, major, minor)
    }

    /// Reads a type prefix followed by `family/major.minor`; nil for any other form.
    package init?(_ text: Text) {
        guard let (_, path) = MessageType.splitPrefix(text), let name = Self(path: path) else { return nil }
        self = name
    }

    /// The text `family/major.minor`, without a prefix.
    package var path: Text { Text("\(family)/\(major).\(minor)") }

    init?(path: Substring) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, let major = Self.number(numbers[0]), let minor = Self.number(numbers[1])
        else { return nil }
        self.init(Text(String(parts[0])), major, minor)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// An `@type`: prefix, protocol, version and message name (RFC 0020).
package struct MessageType: Hashable, Sendable {
    /// The prefix with which the type is written.
    package let prefix: TypePrefix
    /// The protocol and version.
    package let protocolName: ProtocolName
    /// The message's name in its protocol, such as `request`.
    package let name: Text

    /// Creates the type of the message `name` in the given protocol.
    package init(_ prefix: TypePrefix, _ protocolName: ProtocolName, _ name: Text) {
        (self.prefix, self.protocolName, self.name) = (prefix, protocolName, name)
    }

    /// Reads a type prefix followed by `family/major.minor/name`; nil for any other form.
    package init?(_ text: Text) {
        guard let (prefix, path) = Self.splitPrefix(text), let slash = path.lastIndex(of: "/"),
            let protocolName = ProtocolName(path: path[..<slash])
        else { return nil }
        let name = path[path.index(after: slash)...]
        guard !name.isEmpty else { return nil }
        self.init(prefix, protocolName, Text(String(name)))
    }

    /// The whole text of the `@type`.
    package var text: Text { Text("\(prefix.rawValue)\(protocolName.path)/\(name)") }

    /// Returns whether this is the message `name` of the protocol `family` in the major version `major`. Prefix and
    /// minor version may be any.
    package func isMessage(_ family: Text, _ major: Int, _ name: Text) -> Bool {
        protocolName.family == family && protocolName.major == major && self.name == name
    }

    static func splitPrefix(_ text: Text) -> (TypePrefix, Substring)? {
        guard text.utf8.count <= 256 else { return nil }
        for prefix in TypePrefix.allCases {
            if let path = text.behind(Text(prefix.rawValue)) { return (prefix, path) }
        }
        return nil
    }
}
