package import Encoding

/// An item with an end date on which admissions or reports depend.
package struct Expiry: Hashable, Sendable {
    /// The kind of an item that expires.
    package enum Kind: String, CaseIterable, Sendable {
        /// The operator's trust bundle expires.
        case bundle
        /// An issuer's entry in the trust data expires.
        case issuer
        /// The stored document of an issuer expires, counted from its last confirmation.
        case document
        /// A key in an issuer's document expires.
        case key
        /// A pinned X.509 certificate expires.
        case root
        /// A stored status list expires.
        case statusList = "status-list"
        /// The gate's rules expire.
        case policy
        /// The printed code expires.
        case sticker
        /// A certificate that authenticates servers expires.
        case serverRoot = "server-root"

        /// The kind in words, to be followed by the name of the item.
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

    /// The kind of the item that expires.
    package let kind: Kind
    /// The name of the item: an id, a URL or a name, in the full length that its author chose.
    package let name: Text
    /// When the item's validity begins; nil if that is unknown.
    package let begin: Timestamp?
    /// The date from which the item is no longer valid.
    package let end: Timestamp
    /// Whether the gate fetches the successor automatically. Then only the end is reported.
    package let isRenewed: Bool

    /// Creates an item with an end date.
    package init(_ kind: Kind, _ name: Text, begin: Timestamp? = nil, end: Timestamp, isRenewed: Bool = false) {
        (self.kind, self.name, self.begin, self.end, self.isRenewed) = (kind, name, begin, end, isRenewed)
    }

    /// The kind and the name in plain words, with at most 100 characters of the name.
    package var words: String { name.isEmpty ? kind.words : "\(kind.words) \(Self.cut(name.string))" }

    /// The end of the validity in the form that people write, such as `2026-01-02 03:04 UTC`.
    package var endWords: String { end.rfc3339.prefix(16).replacing("T", with: " ") + " UTC" }

    private static func cut(_ name: String) -> String { name.count > 100 ? name.prefix(100) + "…" : name }

    /// Returns whether `one` ends before `other`. Items with equal ends have a fixed order.
    static func isSooner(_ one: Expiry, _ other: Expiry) -> Bool {
        if one.end != other.end { return one.end < other.end }
        return (one.kind.rawValue, one.name) < (other.kind.rawValue, other.name)
    }
}
