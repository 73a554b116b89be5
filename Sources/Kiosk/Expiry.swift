package import Encoding

/// Something with an end date on which admissions or reports depend.
package struct Expiry: Hashable, Sendable {
    /// What kind of thing it is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The operator's trust bundle.
        case bundle
        /// An issuer's entry.
        case issuer
        /// The stored document of an issuer, counted from its last confirmation.
        case document
        /// A key in an issuer's document.
        case key
        /// A pinned X.509 certificate.
        case root
        /// A stored status list.
        case statusList = "status-list"
        /// The gate's rules.
        case policy
        /// The printed code.
        case sticker
        /// A certificate by which servers are authenticated.
        case serverRoot = "server-root"

        /// The kind in words, to be followed by the name of the thing.
        package var words: String {
            switch self {
            case .bundle: "the trust"
            case .issuer: "the entry of the issuer"
            case .document: "the document of"
            case .key: "the key"
            case .root: "the root"
            case .statusList: "the status list"
            case .policy: "the policy"
            case .sticker: "the printed code"
            case .serverRoot: "the certificate for servers"
            }
        }
    }

    /// What kind of thing it is.
    package let kind: Kind
    /// Which one: an id, a URL or a name, in the full length that its author chose.
    package let name: Text
    /// When it began; nil when this is unknown.
    package let begin: Timestamp?
    /// The date from which it is no longer valid.
    package let end: Timestamp
    /// Whether the gate fetches the next one by itself: then only the end itself is reported.
    package let isRenewed: Bool

    /// Creates a thing with an end.
    package init(_ kind: Kind, _ name: Text, begin: Timestamp? = nil, end: Timestamp, isRenewed: Bool = false) {
        (self.kind, self.name, self.begin, self.end, self.isRenewed) = (kind, name, begin, end, isRenewed)
    }

    /// The kind and the name in plain words, short enough for a line.
    package var words: String { name.isEmpty ? kind.words : "\(kind.words) \(Self.cut(name.string))" }

    /// The end in the form that people write.
    package var endWords: String { end.rfc3339.prefix(16).replacing("T", with: " ") + " UTC" }

    private static func cut(_ name: String) -> String { name.count > 100 ? name.prefix(100) + "…" : name }

    /// Whether `one` ends before `other`; things with equal ends have a fixed order.
    package static func isSooner(_ one: Expiry, _ other: Expiry) -> Bool {
        if one.end != other.end { return one.end < other.end }
        return (one.kind.rawValue, one.name) < (other.kind.rawValue, other.name)
    }
}
