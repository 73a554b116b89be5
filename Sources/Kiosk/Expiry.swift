package import Encoding

/// Something that people are let in by, or reports go out by, and that ends on a day.
package struct Expiry: Hashable, Sendable {
    /// What kind of thing it is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The operator's trust bundle.
        case bundle
        /// An issuer's entry.
        case issuer
        /// What is stored of an issuer's document, counted from when it was confirmed last.
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
        /// A certificate by which servers are believed.
        case serverRoot = "server-root"

        /// In words, before the name of the thing.
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
    /// Which one: an id, a URL, a name; as long as whoever made it wrote it.
    package let name: Text
    /// When it began; nil when nobody knows.
    package let begin: Timestamp?
    /// From when on it does not hold any more.
    package let end: Timestamp
    /// Whether the box fetches the next one by itself: then only its end is worth a word.
    package let isRenewed: Bool

    /// A thing with an end.
    package init(_ kind: Kind, _ name: Text, begin: Timestamp? = nil, end: Timestamp, isRenewed: Bool = false) {
        (self.kind, self.name, self.begin, self.end, self.isRenewed) = (kind, name, begin, end, isRenewed)
    }

    /// What it is and which, in plain words, as short as a line needs.
    package var words: String { name.isEmpty ? kind.words : "\(kind.words) \(Self.cut(name.string))" }

    /// The end, as people write it.
    package var endWords: String { end.rfc3339.prefix(16).replacing("T", with: " ") + " UTC" }

    private static func cut(_ name: String) -> String { name.count > 100 ? name.prefix(100) + "…" : name }

    /// The one that ends first before the others; of equals in an order that is always the same.
    package static func isSooner(_ one: Expiry, _ other: Expiry) -> Bool {
        if one.end != other.end { return one.end < other.end }
        return (one.kind.rawValue, one.name) < (other.kind.rawValue, other.name)
    }
}
